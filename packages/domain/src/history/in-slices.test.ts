import { expect, test } from '@jest/globals';
import { inSlices } from './in-slices.ts';

const ITEMS = Array.from({ length: 100 }, (_, at) => at);

test('long work lets others run between its items, and keeps their order', async () => {
  const seen: (number | string)[] = [];
  const work = inSlices(ITEMS, (item) => {
    seen.push(item);
    if (item === 0) setImmediate(() => seen.push('other'));
    for (const endsAtMs = performance.now() + 0.1; performance.now() < endsAtMs; );
  });
  await work;
  expect(seen.filter((one) => one !== 'other')).toEqual(ITEMS);
  expect(seen.indexOf('other')).toBeLessThan(ITEMS.length);
});

test('an error of the work rejects', async () => {
  const failing = inSlices(ITEMS, () => {
    throw new Error('of an item');
  });
  await expect(failing).rejects.toThrow('of an item');
});
