import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/docs.mjs [--check]: writes the generated tables of docs/operations, and checks the links of all
// documents.

await bootstrap();
process.exitCode = await runOnPinnedNode(['scripts/docs/main.mjs', ...process.argv.slice(2)]);
