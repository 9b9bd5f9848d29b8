import { keepCompiled } from '@flotilla/runtime/compile-cache.ts';

// Import everything else after this line; otherwise it is compiled before the cache is on.
keepCompiled('api');
const [{ runMain }, { readConfig }, { startApi }] = await Promise.all([
  import('@flotilla/runtime/lifecycle.ts'),
  import('./config.ts'),
  import('./start.ts'),
]);

runMain('api', async (stopping) => startApi(readConfig(), undefined, stopping));
