import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { libraryText } from '../../packages/redis/src/scripts.ts';
import { formatLua } from './format-lua.mjs';
import { lintLua } from './lint-lua.mjs';

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'packages/redis/src/scripts');

const faults = lintLua(libraryText());
for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.lua'))) {
  const before = readFileSync(join(folder, file), 'utf8');
  const after = formatLua(before);
  if (after === before) continue;
  if (values.check) faults.push(`packages/redis/src/scripts/${file} is not formatted: run npm run scripts`);
  else writeFileSync(join(folder, file), after);
}
process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
process.exitCode = faults.length === 0 ? 0 : 1;
