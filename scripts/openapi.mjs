import { bootstrap, ROOT, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/openapi.mjs [--check]: writes docs/openapi.json, or reports how the existing file differs.

await bootstrap();
process.exitCode = await runOnPinnedNode(['apps/api/src/docs/main.ts', 'docs/openapi.json', ...process.argv.slice(2)], {
  cwd: ROOT,
});
