import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/check-infra.mjs [compose|kubernetes|nginx|dockerfile|pins|workflows|shell|deploy|watch …]: checks what
// operators install.

await bootstrap();
process.exitCode = await runOnPinnedNode(['scripts/check-infra/main.mjs', ...process.argv.slice(2)]);
