import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CHECK_NAMES, runCheck } from './run-check.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { root: { type: 'string' } } });
const root = resolve(values.root ?? resolve(import.meta.dirname, '../..'));
const names = positionals.length > 0 ? positionals : CHECK_NAMES;

let faulty = false;
for (const name of names) {
  const startedMs = Date.now();
  const { faults, leftOut } = await runCheck(name, root);
  const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
  process.stdout.write(`${faults.length === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n`);
  for (const fault of faults) process.stdout.write(`    ${fault.replaceAll('\n', '\n    ')}\n`);
  for (const reason of leftOut) process.stdout.write(`    left out: ${reason}\n`);
  faulty ||= faults.length > 0;
}
process.exitCode = faulty ? 1 : 0;
