import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';

// npm run release -- <version> [--dry-run]: prepares a release.

await bootstrap();
process.exitCode = await runOnPinnedNode(['scripts/release/main.mjs', ...process.argv.slice(2)]);
