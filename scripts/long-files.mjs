import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** node scripts/long-files.mjs: fails for a file of the product with more lines than that. Files that are made do not count. */
const LINES_AT_MOST = 300;

const ROOT = join(import.meta.dirname, '..');
const NOT_PRODUCT = /\.(test|d)\.ts$|\/tests\/|^packages\/(bench|system-tests|testing)\//;

const listed = execFileSync('git', ['ls-files', 'packages', 'apps'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
const long = listed
  .filter((path) => /\.tsx?$/.test(path) && !NOT_PRODUCT.test(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
  .filter(({ text }) => !text.startsWith('// Made from'))
  .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  .filter(({ lines }) => lines > LINES_AT_MOST);
for (const { path, lines } of long) console.log(`${path}: ${lines} lines, at most ${LINES_AT_MOST}`);
process.exitCode = long.length === 0 ? 0 : 1;
