import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/node');

/**
 * Stores what Node makes of a program's modules (code without types, compiled code) beside the packages, which halves the
 * processor time of its next start. It applies to modules imported after this call. A cache that can only be read is used;
 * where there is none and none can be written, nothing is stored. Each program has its own folder, because their V8 flags
 * differ.
 * @param {string} program
 * @param {string} folder
 */
export function keepCompiled(program, folder = CACHE) {
  enableCompileCache(join(folder, program));
}
