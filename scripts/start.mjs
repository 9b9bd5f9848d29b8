import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';

await bootstrap();
process.exit(await runOnPinnedNode(['apps/sandbox/src/main.ts', ...process.argv.slice(2)]));
