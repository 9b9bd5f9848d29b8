/** All that decides what is built. The build fails if it reads another source. */
export const SOURCES = [
  ...['api', 'worker', 'simulator', 'maintenance'].map((name) => `apps/${name}`),
  ...['contract', 'runtime', 'database', 'redis', 'telegram', 'domain'].map((name) => `packages/${name}`),
].flatMap((workspace) => [`${workspace}/src`, `${workspace}/package.json`]);
