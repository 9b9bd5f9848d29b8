import { keepCompiled } from '@flotilla/runtime/compile-cache.ts';

// Everything else is imported after this line, or it would be compiled before.
keepCompiled('api');
const [{ runMain }, { readConfig }, { startApi }] = await Promise.all([
  import('@flotilla/runtime/lifecycle.ts'),
  import('./config.ts'),
  import('./start.ts'),
]);

runMain('api', async (stopping) => startApi(readConfig(), undefined, stopping));
