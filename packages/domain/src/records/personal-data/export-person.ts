import type { PersonalPlace } from '@flotilla/contract/people.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { type Portion, walkTables } from './walk-tables.ts';

export type PersonalRow = { place: PersonalPlace; table: string; row: Record<string, unknown> };

const PAGE = 500;
/** Of our own writers and indexes; texts are in other columns. */
const INTERNAL = ['search', 'search_name', 'capture_key', 'written_again'];

/** Every row that holds data of a person, as it is stored, without what it holds of others. Pages are read when they are needed. */
export async function* exportPerson(db: Database, userId: number): AsyncGenerator<PersonalRow, void, undefined> {
  for await (const portion of walkTables(db, userId)) yield* rowsOf(db, userId, portion);
}

async function* rowsOf(
  db: Database,
  userId: number,
  { table, rows, which }: Portion,
): AsyncGenerator<PersonalRow, void, undefined> {
  const show = rows.show ?? ((row) => row);
  const key = sql.join(rows.key.map(([column]) => sql.ref(column)));
  let last: Record<string, unknown> | undefined;
  do {
    const from: Record<string, unknown> | undefined = last;
    const after = from === undefined ? sql`true` : sql`(${key}) > (${keyOf(rows.key, from)})`;
    const page = await sql<Record<string, unknown>>`
      select * from ${sql.table(table)} where ${which} and ${after} order by ${key} limit ${PAGE}`.execute(db);
    for (const row of page.rows) yield { place: rows.place, table, row: shown(show(row, userId)) };
    last = page.rows.length < PAGE ? undefined : page.rows.at(-1);
  } while (last !== undefined);
}

function keyOf(key: readonly (readonly [column: string, type: string])[], row: Record<string, unknown>) {
  return sql.join(key.map(([column, type]) => sql`${row[column]}::${sql.raw(type)}`));
}

function shown(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).filter(([column, value]) => value !== null && !INTERNAL.includes(column)),
  );
}
