import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const FILES = globSync('{apps,packages}/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] });
const { interleave, MOSTLY_COMPUTE, MOSTLY_WAIT } = await import(join(ROOT, 'scripts/test-order.mjs'));
const PATTERNS = [MOSTLY_WAIT, MOSTLY_COMPUTE].flatMap((list) => Object.keys(list));

const ordered = (paths: string[], workers: number): string[] =>
  interleave(
    paths.map((path) => ({ path })),
    workers,
  ).map(({ path }: { path: string }) => path);

test('every pattern names a test: one that was moved would start when its name happens to be reached', () => {
  expect(PATTERNS.filter((pattern) => !FILES.some((file) => new RegExp(pattern).test(file)))).toEqual([]);
});

test('every test file is started once', () => {
  expect(ordered(FILES, 6).sort()).toEqual([...FILES].sort());
});

test('two workers of three take what mostly waits, the longest first, and the third what computes', () => {
  const waits = ['worker-log', 'lost-ids', 'deliveries'].map((name) => `packages/system-tests/src/${name}.test.ts`);
  const computes = Array.from({ length: 200 }, (_, at) => `packages/domain/src/${at}.test.ts`);
  const order = ordered([...waits, ...computes], 3);
  expect(order.slice(0, 3)).toEqual([waits[2], waits[0], computes[0]]);
  const third = order.indexOf(waits[1]!);
  expect(third).toBeGreaterThan(30);
  expect(third).toBeLessThan(60);
});
