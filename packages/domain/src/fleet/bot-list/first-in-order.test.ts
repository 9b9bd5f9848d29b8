import { expect, test } from '@jest/globals';
import { firstInOrder } from './first-in-order.ts';

const order = (one: { by: number }, other: { by: number }) => one.by - other.by;
const rows = Array.from({ length: 1_000 }, (_, at) => ({ by: (at * 7_919) % 251, at }));

test.each([1, 7, 100, 124, 125, 1_000, 5_000])('the first %i are those of the sorted list', (count) => {
  expect(firstInOrder(rows, order, count)).toEqual(rows.toSorted(order).slice(0, count));
});

test('a list is left as it was, and an empty one has none', () => {
  const copy = [...rows];
  firstInOrder(rows, order, 10);
  expect(rows).toEqual(copy);
  expect(firstInOrder([], order, 10)).toEqual([]);
});
