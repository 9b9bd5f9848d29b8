import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { readConfig } from './config.ts';
import { startApi } from './start.ts';

runMain('api', async (stopping) => startApi(readConfig(), undefined, stopping));
