import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/scripts.mjs [--check]: formats the Lua scripts, reports what is wrong in them, and writes their calls from their
// headers; or reports what is stale.

await bootstrap();
const rest = process.argv.slice(2);
const codes = [];
for (const program of ['scripts/lua/main.mjs', 'packages/redis/src/script-generator/main.ts']) {
  codes.push(await runOnPinnedNode([program, ...rest]));
}
process.exitCode = Math.max(...codes);
