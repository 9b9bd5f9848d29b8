import { join } from 'node:path';
import { keepCompiled } from './compile-cache.mjs';

// node <flags> packages/runtime/src/fill-compile-cache.mjs api|worker: stores what Node makes of the program's modules, and ends.

const program = process.argv[2] ?? '';
const source = join(import.meta.dirname, '../../../apps', program, 'src');
keepCompiled(program);
await Promise.all(['config.ts', 'start.ts'].map((file) => import(join(source, file))));
