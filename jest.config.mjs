import { availableParallelism } from 'node:os';

/** Most of its time a test of a fleet waits: for a retry, a lock that expires, a process that starts. */
const WORKERS_PER_CORE = 3;
/** freePort gives each of so many workers ports of its own, and Postgres has connections for them. */
const WORKERS_AT_MOST = 8;

/** Which tests run is decided by scripts/test.mjs; called by itself, Jest runs all. */
export default {
  roots: ['<rootDir>/apps', '<rootDir>/packages'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  injectGlobals: false,
  testEnvironment: 'node',
  testTimeout: 30_000,
  maxWorkers: Math.min(WORKERS_PER_CORE * availableParallelism(), WORKERS_AT_MOST),
  testSequencer: '<rootDir>/scripts/slow-tests-first.mjs',
  globalSetup: '<rootDir>/packages/testing/src/jest-global-setup.ts',
  globalTeardown: '<rootDir>/packages/testing/src/jest-global-teardown.ts',
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
};
