import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';
import { buildConsoleIfStale } from './build-console.mjs';
import { buildPrograms, startFrom } from './build-programs.mjs';

await bootstrap();
if ((await buildConsoleIfStale()) !== 0) process.stderr.write('The console could not be built; all else starts.\n');
startFrom(await buildPrograms());
process.exit(await runOnPinnedNode(['apps/sandbox/src/launch.mjs', ...process.argv.slice(2)]));
