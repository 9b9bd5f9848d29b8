import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';
import { buildConsoleIfStale } from './build-console.mjs';

await bootstrap();
if ((await buildConsoleIfStale()) !== 0) process.stderr.write('The console could not be built; all else starts.\n');
process.exit(await runOnPinnedNode(['apps/sandbox/src/launch.mjs', ...process.argv.slice(2)]));
