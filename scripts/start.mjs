import { join } from 'node:path';
import { bootstrap, runOnPinnedNode } from './bootstrap.mjs';
import { buildConsoleIfStale } from './build-console.mjs';
import { buildPrograms } from './build-programs.mjs';

// node scripts/start.mjs [--empty]: the demonstration, over the data in .data unless DATA_DIR names another directory.

await bootstrap();
if ((await buildConsoleIfStale()) !== 0) process.stderr.write('The console could not be built; all else starts.\n');
const built = await buildPrograms();
const launch = built === null ? 'apps/flotilla/src/launch.mjs' : join(built, 'flotilla/launch.mjs');
const args = ['--env-file=packages/runtime/src/node.env', launch, '--demo', ...process.argv.slice(2)];
process.exit(await runOnPinnedNode(args, { env: { DATA_DIR: '.data', ...process.env } }));
