// Says which test files run together. Every *.test.ts is in one stage at most; `npm test` runs those in none.

/** They start whole installations or other people's programs, which few changes can break: each with what it starts. */
const WHOLE_SYSTEM = {
  'apps/flotilla/src/*.test.ts': 'flotilla in one process, with Postgres, Redis, the platform and a demo bot',
  'apps/simulator/src/conformance/*.test.ts': 'the simulated platform, held against the platform by the clock',
  'packages/system-tests/src/backup-and-restore.test.ts': 'pg_dump, pg_restore, and a fleet on what they restored',
  'packages/system-tests/src/check-infra.test.ts': 'npm run check:infra, on files with faults',
  'packages/system-tests/src/client-libraries.test.ts': 'the bots of every client library, one process each',
  'packages/system-tests/src/echo-bots/*.test.ts': 'the same bots, at the simulated platform itself',
  'packages/system-tests/src/generated-client.test.ts': 'a generator of clients, and a compiler',
  'packages/system-tests/src/images/*.test.ts': 'what the Dockerfile makes, with installs by npm',
  'packages/system-tests/src/key-rotation.test.ts': 'fleets before, while and after the keys are changed',
  'packages/system-tests/src/npm-commands.test.ts': 'the commands of package.json, by npm',
  'packages/system-tests/src/other-programs/*.test.ts':
    "other people's programs, of which only the API root is changed",
  'packages/system-tests/src/one-package.test.ts': 'the npm package, made and installed, with stores of its own',
  'packages/system-tests/src/pgbouncer.test.ts': 'PgBouncer, and a fleet behind it',
  'packages/system-tests/src/polling-pace.test.ts': 'a fleet with more bots than it may poll at once',
  'packages/system-tests/src/programs-of-libraries.test.ts': 'the bots of every client library, as programs of one bot',
  'packages/system-tests/src/sending-recipes.test.ts': 'bots of two libraries, behind a connection that loses answers',
  'packages/system-tests/src/shipped-nginx.test.ts': 'nginx, with the rules that installations get',
  'packages/system-tests/src/start-without-stores.test.ts': 'processes whose stores are away, one after the other',
  'packages/system-tests/src/tls/*.test.ts': 'stores of every form that accept TLS only',
  'packages/system-tests/src/tracing.test.ts': 'fleets with a collector of traces',
  'packages/system-tests/src/update-samples.test.ts': 'a fleet that gets every update of the corpus',
};

/** `atOnce`: how many of their files run at once. `nightly`: they run at night only, not with every change. */
export const STAGES = {
  /** They keep both cores busy: with more of them, commands to Redis took longer than the second that the service gives them. */
  system: { files: Object.keys(WHOLE_SYSTEM).map((path) => `**/${path}`), atOnce: 4 },
  /** Each runs a fleet under load, or waits for locks that a busy machine lets expire: four at once starved each other. */
  faults: { files: ['**/*.fault.test.ts'], atOnce: 2 },
  /** Each starts a Chromium, which keeps a core busy. */
  console: { files: ['**/*.browser.test.ts'], atOnce: 2 },
  /** They install large programs from the registry, of others and seldom changed: every night, and one at a time for their ports. */
  programs: { files: ['**/packages/system-tests/src/installed-programs/*.test.ts'], atOnce: 1, nightly: true },
};

const EVERY_TEST = '**/*.test.ts';

/** The globs of a stage, or of `npm test` without a stage; `!` before a glob leaves its files out. */
export function filesOf(stage) {
  if (stage !== undefined) return STAGES[stage].files;
  const inStages = Object.values(STAGES).flatMap(({ files }) => files);
  return [EVERY_TEST, ...inStages.map((glob) => `!${glob}`)];
}

/** The globs for files that a developer names: of every stage, but fault tests and installed programs only if named as such. */
export function filesNamed(patterns) {
  const unnamed = [
    ['.fault.', STAGES.faults],
    ['installed-programs', STAGES.programs],
  ].filter(([word]) => !patterns.some((pattern) => pattern.includes(word)));
  return [EVERY_TEST, ...unnamed.flatMap(([, { files }]) => files.map((glob) => `!${glob}`))];
}
