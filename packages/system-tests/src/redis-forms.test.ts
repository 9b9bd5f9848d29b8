import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const FILES = globSync('{apps,packages}/*/src/**/*.test.ts', { cwd: ROOT });
const { EVERY_NIGHT, SAME_OVER_EVERY_FORM, WITH_EVERY_CHANGE } = await import(join(ROOT, 'scripts/redis-forms.mjs'));

const CHANGED_BY_FORM = Object.values(WITH_EVERY_CHANGE as Record<string, object>).flatMap(Object.keys);

/** Every alternative of a pattern by itself: `a(b|c)|d` is ab, ac and d. */
function alternatives(pattern: string): string[] {
  const group = /\(([^()]*)\)/.exec(pattern);
  if (group === null) return pattern.split('|');
  return String(group[1])
    .split('|')
    .flatMap((choice) => alternatives(pattern.replace(group[0], choice)));
}

test('every pattern names a test: one that was moved would no longer run over Sentinel and Cluster', () => {
  const patterns = [...CHANGED_BY_FORM, ...EVERY_NIGHT, ...Object.keys(SAME_OVER_EVERY_FORM)];
  const namesNone = (pattern: string) => !FILES.some((file) => new RegExp(pattern).test(file));
  expect(patterns.flatMap(alternatives).filter(namesNone)).toEqual([]);
});

test('what runs over Sentinel runs over Cluster too, and every night over both', () => {
  const { sentinel, cluster } = WITH_EVERY_CHANGE as Record<string, Record<string, string>>;
  expect(cluster).toMatchObject(sentinel!);
  const filesOf = (patterns: string[]) => FILES.filter((file) => patterns.some((one) => new RegExp(one).test(file)));
  const everyNight = new Set(filesOf(EVERY_NIGHT));
  expect(filesOf(CHANGED_BY_FORM).filter((file) => !everyNight.has(file))).toEqual([]);
});
