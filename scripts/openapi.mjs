import { bootstrap, ROOT, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/openapi.mjs [--check]: writes docs/openapi.json, or says what is wrong with the one that is there.

await bootstrap();
process.exitCode = await runOnPinnedNode(['apps/api/src/docs/main.ts', 'docs/openapi.json', ...process.argv.slice(2)], {
  cwd: ROOT,
});
