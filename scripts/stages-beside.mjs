import common from '../jest.config.mjs';
import { WITH_EVERY_CHANGE } from './redis-forms.mjs';
import { STAGES } from './test-stages.mjs';

/** Jest's configuration that runs these stages beside each other: what one of them waits for, another uses to compute. */
export function configBeside(names) {
  const { maxWorkers, testSequencer, testTimeout, ...ofProjects } = common;
  const projects = names.map((name) => ({
    ...ofProjects,
    ...filesAndForm(name),
    displayName: name,
    rootDir: '<rootDir>',
  }));
  return { maxWorkers, testSequencer, testTimeout, projects };
}

function filesAndForm(name) {
  if (name in STAGES) return { testMatch: STAGES[name].files };
  const files = Object.keys(WITH_EVERY_CHANGE).join('|');
  return {
    testMatch: undefined,
    testRegex: `(?=.*(?:${files})).*\\.test\\.ts$`,
    testPathIgnorePatterns: ['\\.fault\\.test'],
    testEnvironmentOptions: { redis: name },
  };
}
