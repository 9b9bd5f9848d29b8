import { inheritedEnv, readSettings } from '@flotilla/runtime/env.ts';
import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { MAY_BE_EMPTY, SETTINGS } from './config.ts';
import { startSandbox } from './start.ts';

runMain('sandbox', async () => startSandbox(readSettings(SETTINGS, inheritedEnv(), MAY_BE_EMPTY)), { plain: true });
