import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const FILES = globSync('{apps,packages}/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] });
const { STAGES, filesOf } = await import(join(ROOT, 'scripts/test-stages.mjs'));
const NAMES: string[] = Object.keys(STAGES);

/** Selects by `testMatch` like Jest: `!` before a glob leaves its files out. */
function selected(globs: string[]): string[] {
  const [leaving, taking] = [
    globs.filter((glob) => glob.startsWith('!')),
    globs.filter((glob) => !glob.startsWith('!')),
  ];
  const matches = (file: string, some: string[]) => some.some((glob) => matchesGlob(file, glob));
  return FILES.filter((file) => matches(file, taking)).filter(
    (file) =>
      !matches(
        file,
        leaving.map((glob) => glob.slice(1)),
      ),
  );
}

test('every test file runs in exactly one stage, or in npm test', () => {
  const runs = [undefined, ...NAMES].flatMap((stage) => selected(filesOf(stage)));
  expect(runs.sort()).toEqual([...FILES].sort());
});

test('every glob of a stage names a test: one that was moved would run in npm test again', () => {
  const globs = NAMES.flatMap((stage) => filesOf(stage) as string[]);
  expect(globs.filter((glob) => selected([glob]).length === 0)).toEqual([]);
});

test('every stage is an npm command, and .ci/run or the nightly workflow runs it', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const all = [...NAMES, 'sentinel', 'cluster'];
  for (const stage of all) expect(scripts[`test:${stage}`]).toBe(`node scripts/test.mjs ${stage}`);
  const ci = readFileSync(join(ROOT, '.ci/run'), 'utf8');
  const ran = [...ci.matchAll(/^(?:run|stage) (.+)$/gm)].flatMap(([, names]) => names!.split(' '));
  const nightly = all.filter((stage) => STAGES[stage]?.nightly === true);
  const withEveryChange = all.filter((stage) => !nightly.includes(stage)).map((stage) => `test:${stage}`);
  expect(ran.sort()).toEqual(['check', 'check:infra', 'test', ...withEveryChange].sort());
  const workflow = readFileSync(join(ROOT, '.github/workflows/nightly.yml'), 'utf8');
  expect(nightly.filter((stage) => !workflow.includes(`run: npm run test:${stage}\n`))).toEqual([]);
});
