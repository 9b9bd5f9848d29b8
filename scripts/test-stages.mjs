// Says which test files run together. Every *.test.ts is in one stage at most; `npm test` runs those in none.

export const STAGES = {
  /** They expect responses within a time limit, so fewer of them run at once than of other tests. */
  faults: { files: ['**/*.fault.test.ts'], atOnce: 3 },
  /** Each starts a Chromium, which keeps a core busy. */
  console: { files: ['**/*.browser.test.ts'], atOnce: 3 },
};

const EVERY_TEST = '**/*.test.ts';

/** The globs of a stage, or of `npm test` without a stage; `!` before a glob leaves its files out. */
export function filesOf(stage) {
  if (stage !== undefined) return STAGES[stage].files;
  const inStages = Object.values(STAGES).flatMap(({ files }) => files);
  return [EVERY_TEST, ...inStages.map((glob) => `!${glob}`)];
}

/** The globs for files that a developer names: of every stage, but fault tests only if they are named as such. */
export function filesNamed(patterns) {
  const namesFaultTest = patterns.some((pattern) => pattern.includes('.fault.'));
  return namesFaultTest ? [EVERY_TEST] : [EVERY_TEST, ...STAGES.faults.files.map((glob) => `!${glob}`)];
}
