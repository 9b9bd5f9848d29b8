import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/platform-check.mjs [path]: compares the tables of packages/contract/src/bot-api with a description of the Bot API.

await bootstrap();
process.exitCode = await runOnPinnedNode([
  'packages/system-tests/src/platform-check/main.ts',
  ...process.argv.slice(2),
]);
