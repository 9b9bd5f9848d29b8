import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aboutScript, headerOf } from '../script-text.ts';
import { SCRIPT_NAMES } from '../scripts.ts';
import { callText, functionName, libText, rowText } from './call-text.ts';

// node packages/redis/src/script-generator/main.ts [--check]: writes ../script-calls.ts from the headers of the scripts, or says whether
// it is stale.

const HEAD = `// Made from the headers of the scripts by: npm run scripts

import type { RedisCommands } from './redis-commands.ts';
import { runScript, runScriptRaw } from './scripts.ts';

type Value = string | number | Buffer | null | Value[];

function numberOrNull(value: Value | undefined): number | null {
  return value === '' || value === null ? null : Number(value);
}

function textOrNull(value: Value | undefined): string | null {
  return value === '' || value === null ? null : String(value);
}

`;

const path = join(import.meta.dirname, '../script-calls.ts');
const libs = readdirSync(join(import.meta.dirname, '../scripts/lib')).filter((file) => file.endsWith('.lua'));
const libNames = libs.map((file) => file.slice(0, -'.lua'.length)).sort();
const rows = [...libNames.map((name) => `lib/${name}`), ...SCRIPT_NAMES].map(headerOf).flatMap((header) => header.rows);
const restOf = (name: string | undefined) => rows.find((row) => row.name === name);
const isFlat = (name: string) => rows.some((row) => row.rest?.type === name);

const parts = [
  ...rows.map((row) => rowText(row, isFlat(row.name), restOf(row.rest?.type))),
  ...libNames.map((name) => libText(name, headerOf(`lib/${name}`))).filter((text) => text !== ''),
  ...SCRIPT_NAMES.map((name) => callText(name, headerOf(name), aboutScript(name))),
  `/** One function a script. Each rejects when Redis does not answer. */\nexport const scripts = {\n${SCRIPT_NAMES.map((name) => `  ${functionName(name)},\n`).join('')}};\n`,
];
const text = HEAD + parts.join('\n');
if (process.argv[2] !== '--check') await writeFile(path, text);
else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
  process.stderr.write('packages/redis/src/script-calls.ts is stale; refresh it with: npm run scripts\n');
  process.exitCode = 1;
}
