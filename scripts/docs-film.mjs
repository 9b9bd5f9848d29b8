import { bootstrap, ROOT, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/docs-film.mjs: plays twenty seconds of one bot with four readers, and draws them for the README.

await bootstrap();
const program = 'apps/console/tests/showcase/film/main.ts';
process.exitCode = await runOnPinnedNode([program, `${ROOT}/docs/pictures/one-bot.svg`]);
