import { bootstrap, fail, runOnPinnedNode } from './bootstrap.mjs';
import { buildPrograms, startFrom } from './build-programs.mjs';

// node scripts/bench.mjs [proxy|push|pull …]: the processes run what the programs were built into, as the images do.

await bootstrap();
startFrom((await buildPrograms()) ?? fail('The programs could not be built.'));
process.exitCode = await runOnPinnedNode(['packages/bench/src/main.ts', ...process.argv.slice(2)]);
