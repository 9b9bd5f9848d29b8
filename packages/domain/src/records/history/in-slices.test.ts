import { expect, test } from '@jest/globals';
import { inSlices } from './in-slices.ts';

const ITEMS = Array.from({ length: 100 }, (_, at) => at);

test('long work lets others run between its items, and keeps their order', async () => {
  const seen: (number | string)[] = [];
  const work = inSlices(ITEMS, (item) => {
    seen.push(item);
    if (item === 0) setImmediate(() => seen.push('other'));
    spend(0.1);
  });
  await work;
  expect(seen.filter((one) => one !== 'other')).toEqual(ITEMS);
  expect(seen.indexOf('other')).toBeLessThan(ITEMS.length);
});

test('slices are longer while others keep the process busy', async () => {
  const idle = await passesOf(() => {});
  const busy = await passesOf(() => spend(30));
  expect(busy).toBeLessThan(idle);
});

/** How many passes of the event loop the items take, while `others` works in each of them. */
async function passesOf(others: () => void): Promise<number> {
  let passes = 0;
  let isOver = false;
  const pass = () => {
    passes += 1;
    others();
    if (!isOver) setImmediate(pass);
  };
  setImmediate(pass);
  await inSlices(ITEMS, () => spend(0.1));
  isOver = true;
  return passes;
}

function spend(ms: number): void {
  for (const endsAtMs = performance.now() + ms; performance.now() < endsAtMs; );
}

test('an error of the work rejects', async () => {
  const failing = inSlices(ITEMS, () => {
    throw new Error('of an item');
  });
  await expect(failing).rejects.toThrow('of an item');
});
