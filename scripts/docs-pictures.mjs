import { bootstrap, fail, ROOT, runOnPinnedNode } from './bootstrap.mjs';
import { buildConsoleIfStale } from './build-console.mjs';

// node scripts/docs-pictures.mjs [fleet|bot|inbox …]: plays a day of a fleet, and takes the pictures of README and docs anew.

await bootstrap();
if ((await buildConsoleIfStale()) !== 0) fail('The console could not be built.');
const program = 'apps/console/tests/showcase/main.ts';
process.exitCode = await runOnPinnedNode([program, `${ROOT}/docs/pictures`, ...process.argv.slice(2)]);
