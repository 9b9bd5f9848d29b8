import { keepCompiled } from '@flotilla/runtime/compile-cache.ts';

// Everything else is imported after this line, or it would be compiled before.
keepCompiled('worker');
const [{ runMain }, { readWorkerConfig }, { startWorker }] = await Promise.all([
  import('@flotilla/runtime/lifecycle.ts'),
  import('./config.ts'),
  import('./start.ts'),
]);

runMain('worker', (stopping) => startWorker(readWorkerConfig(), stopping));
