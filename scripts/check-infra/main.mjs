import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkCompose } from './compose.mjs';
import { checkDockerfile } from './dockerfile.mjs';
import { checkKubernetes } from './kubernetes.mjs';
import { checkNginx } from './nginx.mjs';
import { checkPins } from './pins.mjs';
import { checkShell } from './shell.mjs';
import { checkWatch } from './watch.mjs';
import { checkWorkflows } from './workflows.mjs';

/** Each answers its faults, and what it could not look at for want of a tool. */
const CHECKS = {
  compose: checkCompose,
  kubernetes: checkKubernetes,
  nginx: checkNginx,
  dockerfile: checkDockerfile,
  pins: checkPins,
  workflows: checkWorkflows,
  shell: checkShell,
  watch: checkWatch,
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { root: { type: 'string' } } });
const root = resolve(values.root ?? resolve(import.meta.dirname, '../..'));
const names = positionals.length > 0 ? positionals : Object.keys(CHECKS);

let faulty = false;
for (const name of names) {
  const startedMs = Date.now();
  const { faults, leftOut } = await runCheck(name);
  const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
  process.stdout.write(`${faults.length === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n`);
  for (const fault of faults) process.stdout.write(`    ${fault.replaceAll('\n', '\n    ')}\n`);
  for (const reason of leftOut) process.stdout.write(`    left out: ${reason}\n`);
  faulty ||= faults.length > 0;
}
process.exitCode = faulty ? 1 : 0;

async function runCheck(name) {
  const leftOut = [];
  const check = CHECKS[name];
  if (check === undefined)
    return { faults: [`there is no such check; there are ${Object.keys(CHECKS).join(', ')}`], leftOut };
  try {
    return { faults: await check(root, (reason) => leftOut.push(reason)), leftOut };
  } catch (error) {
    return { faults: [error.stack ?? String(error)], leftOut };
  }
}
