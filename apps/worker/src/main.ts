import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { readWorkerConfig } from './config.ts';
import { startWorker } from './start.ts';

runMain('worker', (stopping) => startWorker(readWorkerConfig(), stopping));
