import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/bench.mjs [proxy|push|pull …]

await bootstrap();
process.exitCode = await runOnPinnedNode(['packages/bench/src/main.ts', ...process.argv.slice(2)]);
