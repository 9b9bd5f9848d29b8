import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/helm.mjs: renders the examples of the chart anew into infra/helm/rendered, which check:infra compares.
// node scripts/helm.mjs path: prints where Helm is.

await bootstrap();
process.exitCode = await runOnPinnedNode(['scripts/helm/main.mjs', ...process.argv.slice(2)]);
