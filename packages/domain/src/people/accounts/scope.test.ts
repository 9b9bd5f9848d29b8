import { expect, test } from '@jest/globals';
import { EVERYTHING, type Exact, type Scope, sees, within } from './scope.ts';

type Query = { botId?: number | undefined; chatId?: number | undefined };

function count<Given extends Query>(_scope: Scope, query: Exact<Query, Given>): string[] {
  return Object.keys(query);
}

test('a scope is only made narrower', () => {
  const some = within(EVERYTHING, [1, 2]);
  expect([sees(EVERYTHING, 3), sees(some, 2), sees(some, 3)]).toEqual([true, true, false]);
  expect([...(within(some, [2, 3]).bots as ReadonlySet<number>)]).toEqual([2]);
});

test('a query without a scope, with one made elsewhere or with a misspelt filter does not compile', () => {
  const renamed = { chat: 7 };
  expect(count(EVERYTHING, { chatId: 7 })).toEqual(['chatId']);
  // @ts-expect-error: the scope is missing.
  expect(() => count({ chatId: 7 })).toThrow(TypeError);
  // @ts-expect-error: only scope.ts makes one.
  expect(count({ bots: 'all' }, { chatId: 7 })).toEqual(['chatId']);
  // @ts-expect-error: the key is misspelt.
  expect(count(EVERYTHING, { chatid: 7 })).toEqual(['chatid']);
  // @ts-expect-error: so is that of an object that is spread.
  expect(count(EVERYTHING, { botId: 1, ...renamed })).toEqual(['botId', 'chat']);
});
