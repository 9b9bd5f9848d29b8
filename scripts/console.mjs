import { bootstrap } from './bootstrap.mjs';
import { buildConsole, buildConsoleIfStale } from './build-console.mjs';

// node scripts/console.mjs [--if-stale]: builds the console into apps/console/dist.

await bootstrap();
process.exitCode = await (process.argv.includes('--if-stale') ? buildConsoleIfStale() : buildConsole());
if (process.exitCode === 0) process.stderr.write('the console is built: apps/console/dist\n');
