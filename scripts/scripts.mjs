import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/scripts.mjs [--check]: writes the calls of the Lua scripts from their headers, or reports that they are stale.

await bootstrap();
process.exitCode = await runOnPinnedNode(['packages/redis/src/calls/main.ts', ...process.argv.slice(2)]);
