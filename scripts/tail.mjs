import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/tail.mjs --bot <id> --to <url> …

await bootstrap();
const { args, key } = withoutKey(process.argv.slice(2));
const env = { ...process.env, ...(key === undefined ? {} : { FLOTILLA_API_KEY: key }) };
process.exitCode = await runOnPinnedNode(['apps/tail/src/main.ts', ...args], { env });

/** Everybody on the machine can read the arguments of a process, so ours gets the key in its environment. */
function withoutKey(given) {
  const at = given.findIndex((arg) => arg === '--key' || arg.startsWith('--key='));
  if (at === -1) return { args: given };
  const inOne = given[at] !== '--key';
  const key = inOne ? given[at].slice('--key='.length) : given[at + 1];
  return { args: given.toSpliced(at, inOne ? 1 : 2), key };
}
