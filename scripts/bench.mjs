import { bootstrap, fail, runOnPinnedNode } from './bootstrap.mjs';
import { buildPrograms, startFrom } from './build-programs.mjs';

// node scripts/bench.mjs [proxy|push|pull …]: the processes run what the programs were built into, as the images do.

// The history is written by the bench itself, so it has the flags of a worker (packages/runtime/src/node-flags.ts).
const FLAGS = [
  ...['--min-semi-space-size=8', '--max-semi-space-size=32', '--no-allocation-site-pretenuring'],
  ...['--initial-old-space-size=40', '--heap-growing-percent=60'],
];

await bootstrap();
startFrom((await buildPrograms()) ?? fail('The programs could not be built.'));
process.exitCode = await runOnPinnedNode([...FLAGS, 'packages/bench/src/main.ts', ...process.argv.slice(2)]);
