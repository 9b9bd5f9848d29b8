import { keepCompiled } from '@flotilla/runtime/compile-cache.ts';

// Everything else is imported after this line, or it would be compiled before.
keepCompiled('sandbox');
const [{ inheritedEnv, readSettings }, { runMain }, { MAY_BE_EMPTY, SETTINGS }, { startSandbox }] = await Promise.all([
  import('@flotilla/runtime/env.ts'),
  import('@flotilla/runtime/lifecycle.ts'),
  import('./config.ts'),
  import('./start.ts'),
]);

runMain('sandbox', async () => startSandbox(readSettings(SETTINGS, inheritedEnv(), MAY_BE_EMPTY)), { plain: true });
