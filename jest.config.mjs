/** Which tests run is decided by scripts/test.mjs; called by itself, Jest runs all. */
export default {
  roots: ['<rootDir>/apps', '<rootDir>/packages'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  injectGlobals: false,
  testEnvironment: 'node',
  testTimeout: 30_000,
  // One more than the cores: many tests wait for other processes most of the time.
  maxWorkers: 3,
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
