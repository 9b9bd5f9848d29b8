import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Each check returns its faults and reports what it skipped because a tool is missing. Imported on demand, because the
 * tools are large.
 */
const CHECKS = {
  compose: async () => (await import('./compose.mjs')).checkCompose,
  kubernetes: async () => (await import('./kubernetes.mjs')).checkKubernetes,
  nginx: async () => (await import('./nginx.mjs')).checkNginx,
  dockerfile: async () => (await import('./dockerfile.mjs')).checkDockerfile,
  pins: async () => (await import('./pins.mjs')).checkPins,
  workflows: async () => (await import('./workflows.mjs')).checkWorkflows,
  shell: async () => (await import('./shell.mjs')).checkShell,
  watch: async () => (await import('./watch.mjs')).checkWatch,
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
  if (!Object.hasOwn(CHECKS, name))
    return { faults: [`there is no such check; there are ${Object.keys(CHECKS).join(', ')}`], leftOut };
  try {
    const check = await CHECKS[name]();
    return { faults: await check(root, (reason) => leftOut.push(reason)), leftOut };
  } catch (error) {
    return { faults: [error.stack ?? String(error)], leftOut };
  }
}
