import { bootstrap, ROOT, runOnPinnedNode } from './bootstrap.mjs';

// node scripts/console-pictures.mjs: the browser tests of the console keep a picture of every screen in
// .data/console-pictures, in both themes and for wide and narrow windows.

await bootstrap();
process.env.CONSOLE_PICTURES ??= `${ROOT}/.data/console-pictures`;
process.exitCode = await runOnPinnedNode(['scripts/test.mjs', 'console']);
process.stdout.write(`The pictures are in ${process.env.CONSOLE_PICTURES}\n`);
