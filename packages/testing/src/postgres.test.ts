import { describe, expect, test } from '@jest/globals';
import { testDatabase } from './postgres.ts';

describe('A test database', () => {
  test('is migrated, empty, and none of the others', async () => {
    const [one, two] = await Promise.all([testDatabase(), testDatabase()]);
    const count = ({ db }: typeof one) =>
      db
        .selectFrom('bots')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
    expect(one.url).not.toBe(two.url);
    expect([await count(one), await count(two)]).toEqual([{ n: 0 }, { n: 0 }]);
    await Promise.all([one.drop(), two.drop()]);
  });
});
