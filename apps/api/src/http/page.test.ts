import { expect, test } from '@jest/globals';
import { decodeCursor, encodeCursor, linkHeader, pageOf } from './page.ts';

test('the link of the next page keeps the whole query, also behind a second question mark', () => {
  const link = linkHeader('/api/chats?q=why?&bot_id=5&offset=3', { next: [7] });
  expect(link).toBe(`</api/chats?q=why%3F&bot_id=5&before=${encodeCursor([7])}>; rel="next"`);
});

test('a cursor with text that Postgres cannot keep is refused', () => {
  for (const text of ['a\0b', '\ud800']) {
    expect(() => decodeCursor(encodeCursor([text]), ['text'])).toThrow('must be a cursor');
  }
});

test('a list that is there whole is paged to its end, also when the last row of a page is gone', () => {
  const keyOf = (row: string) => row;
  const first = pageOf(['a', 'b', 'c', 'd'], { limit: 2, offset: 0 }, keyOf);
  expect(first).toEqual({ rows: ['a', 'b'], total: 4, next: ['b', 2] });
  const before = encodeCursor(first.next!);
  expect(pageOf(['new', 'a', 'b', 'c', 'd'], { limit: 9, offset: 0, before }, keyOf).rows).toEqual(['c', 'd']);
  expect(pageOf(['a', 'c', 'd'], { limit: 9, offset: 0, before }, keyOf)).toEqual({
    rows: ['d'],
    total: 3,
    next: null,
  });
  expect(pageOf(['a', 'b'], { limit: 2, offset: 0 }, keyOf).next).toBeNull();
  const same = ['a', 'a', 'b'];
  const second = pageOf(same, { limit: 1, offset: 0, before: encodeCursor(['a', 1]) }, keyOf);
  expect(second).toEqual({ rows: ['a'], total: 3, next: ['a', 2] });
  expect(pageOf(same, { limit: 1, offset: 0, before: encodeCursor(second.next!) }, keyOf).rows).toEqual(['b']);
  expect(pageOf(['a', 'b'], { limit: 2, offset: 5 }, keyOf)).toEqual({ rows: [], total: 2, next: null });
});
