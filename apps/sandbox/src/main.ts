import { readSettings } from '@flotilla/runtime/env.ts';
import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { SETTINGS } from './config.ts';
import { startSandbox } from './start.ts';

runMain('sandbox', async () => startSandbox(readSettings(SETTINGS)), { plain: true });
