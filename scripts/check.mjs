import { spawn } from 'node:child_process';
import { bootstrap, PINNED_NODE, ROOT } from './bootstrap.mjs';

// node scripts/check.mjs: runs all static checks in parallel.

const FIGURES = 'scripts/repeated-fields.mjs';

const CHECKS = {
  types: ['node_modules/typescript/bin/tsc', ...onlyWhatChanged('types')],
  'types of the console': [
    'node_modules/typescript/bin/tsc',
    ...onlyWhatChanged('types-of-console'),
    '--project',
    'apps/console',
  ],
  'format and lint': ['node_modules/@biomejs/biome/bin/biome', 'check', '--colors=off', '--error-on-warnings', '.'],
  'import boundaries and cycles': [
    'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
    '--config=.dependency-cruiser.cjs',
    'apps',
    'packages',
  ],
  'unused code': ['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints'],
  'API document is fresh': ['apps/api/src/docs/main.ts', 'docs/openapi.json', '--check'],
  'format and lint of Lua': ['scripts/lua/main.mjs', '--check'],
  'calls of scripts are fresh': ['packages/redis/src/script-generator/main.ts', '--check'],
  'documents are fresh and their links hold': ['scripts/docs/main.mjs', '--check'],
  'fields are carried about no more than before': [FIGURES],
  'no file of the product is long': ['scripts/long-files.mjs'],
  'API document is sound': ['node_modules/@redocly/cli/bin/cli.js', 'lint', 'docs/openapi.json'],
};

/** Options of the compiler: what it knows of the last check spares a further one all that is as it was. */
function onlyWhatChanged(name) {
  return ['--noEmit', '--incremental', '--tsBuildInfoFile', `node_modules/.cache/${name}.tsbuildinfo`];
}

/** By default the linter of the API document reports its use and looks for a newer version. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

await bootstrap();
const results = await Promise.all(Object.entries(CHECKS).map(([name, args]) => check(name, args)));
process.exitCode = results.every(Boolean) ? 0 : 1;

async function check(name, args) {
  const startedMs = Date.now();
  const child = spawn(PINNED_NODE, args, {
    cwd: ROOT,
    env: { ...process.env, ...QUIET },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((done) => child.once('close', done).once('error', () => done(1)));
  const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
  const figures = args[0] === FIGURES ? `: ${output.trim().replaceAll('\n', '; ')}` : '';
  if (code === 0) process.stdout.write(`✓ ${name} (${seconds} s)${figures}\n`);
  else process.stdout.write(`✗ ${name} (${seconds} s)\n${output.trimEnd().replace(/^/gm, '    ')}\n`);
  return code === 0;
}
