import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runOnPinnedNode } from './bootstrap.mjs';
import { hashOfFiles } from './programs/hash-of-files.mjs';

const CONSOLE = 'apps/console';
const PAGE = join(ROOT, CONSOLE, 'dist/index.html');
const MADE_OF = join(ROOT, CONSOLE, 'dist/.made-of');
/** All that decides what the build makes. */
const SOURCES = [
  ...['src', 'public', 'index.html', 'vite.config.ts', 'tsconfig.json', 'package.json'].map((name) =>
    join(CONSOLE, name),
  ),
  'packages/contract/src',
  'tsconfig.base.json',
  'package-lock.json',
];

/** Builds the console into apps/console/dist, and notes what it is made of. Returns the exit code. */
export async function buildConsole() {
  const hash = hashOfFiles(SOURCES);
  const vite = ['node_modules/vite/bin/vite.js', 'build', CONSOLE, '--configLoader', 'native', '--logLevel', 'warn'];
  // A NODE_ENV of the caller, as Jest sets it, would choose React's development build.
  const code = await runOnPinnedNode(vite, { env: { ...process.env, NODE_ENV: 'production' } });
  if (code === 0) writeFileSync(MADE_OF, hash);
  return code;
}

/** Builds it only if something it is made of has changed, or it is gone. */
export async function buildConsoleIfStale() {
  if (isFresh()) return 0;
  process.stderr.write('building the console …\n');
  return buildConsole();
}

function isFresh() {
  // `rm dist/*` leaves the note.
  return existsSync(PAGE) && existsSync(MADE_OF) && readFileSync(MADE_OF, 'utf8') === hashOfFiles(SOURCES);
}
