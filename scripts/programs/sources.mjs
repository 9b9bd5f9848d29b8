/** All sources that are built. The build fails if it reads another one. */
export const SOURCES = [
  ...['api', 'flotilla', 'maintenance', 'sandbox', 'simulator', 'tail', 'worker'].map((name) => `apps/${name}`),
  ...['contract', 'runtime', 'database', 'redis', 'telegram', 'domain', 'embedded'].map((name) => `packages/${name}`),
].flatMap((workspace) => [`${workspace}/src`, `${workspace}/package.json`]);

/** All else that decides what is built. */
export const BUILT_WITH = [
  ...['bundle', 'copied-files', 'hash-of-files', 'native-packages', 'package-list', 'sources', 'stored-values'].map(
    (name) => `scripts/programs/${name}.mjs`,
  ),
  'package.json',
  'package-lock.json',
];
