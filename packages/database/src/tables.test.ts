import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { DECLARED } from './tables.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test.each(Object.entries(DECLARED))(
  'The table %s has the columns that its resource declares',
  async (table, { fields }) => {
    const { rows } = await sql<{ name: string; type: string; nullable: boolean; filled: boolean }>`
    select column_name as name, udt_name as type, is_nullable = 'YES' as nullable,
      column_default is not null or is_identity = 'YES' as filled
    from information_schema.columns where table_name = ${table}`.execute(database.db);
    const declared = Object.entries(fields).flatMap(([name, field]) => {
      if (!('stored' in field)) return [];
      const { type, nullable, filled } = field.stored;
      return [{ name, type: TYPE_NAMES[type] ?? type, nullable, filled }];
    });
    const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
    expect(rows.sort(byName)).toEqual(declared.sort(byName));
  },
);

const TYPE_NAMES: Partial<Record<string, string>> = { bigint: 'int8', integer: 'int4', boolean: 'bool' };
