import { availableParallelism } from 'node:os';

/**
 * A fleet's test waits a third of its time: for a retry, for a lock to expire, for a process to start. With twice as many, two slow
 * cores were so busy that commands to Redis took longer than the second that the service gives them.
 */
const WORKERS_PER_CORE = 2;
/** The port ranges of freePort and the connections of Postgres suffice for this many workers. */
const WORKERS_AT_MOST = 8;

/** scripts/test.mjs selects the tests; Jest called directly runs all of them. */
export default {
  roots: ['<rootDir>/apps', '<rootDir>/packages'],
  testMatch: ['**/*.test.ts'],
  injectGlobals: false,
  runtime: '<rootDir>/scripts/jest/native-runtime.mjs',
  testEnvironment: '<rootDir>/scripts/jest/native-environment.mjs',
  transform: {},
  testTimeout: 60_000,
  maxWorkers: Math.min(WORKERS_PER_CORE * availableParallelism(), WORKERS_AT_MOST),
  // Concurrent tests of a file share its processes and wait.
  maxConcurrency: 10,
  // On a busy machine a process that holds nothing needs more than Jest's half a second to end.
  workerGracefulExitTimeout: 5_000,
  globalSetup: '<rootDir>/packages/testing/src/jest-global-setup.ts',
  globalTeardown: '<rootDir>/packages/testing/src/jest-global-teardown.ts',
};
