import type { Database } from '@flotilla/database/connect.ts';
import type { Tables } from '@flotilla/database/tables.ts';
import { type RawBuilder, sql } from 'kysely';
import { PERSONAL_TABLES, type PersonalRows } from './personal-tables.ts';
import type { Portions } from './portions.ts';

/** The condition of rows of a person that one statement can look through. */
export type Portion = { table: keyof Tables; rows: PersonalRows; which: RawBuilder<boolean> };

const WHOLE: Portions = async function* () {
  yield sql<boolean>`true`;
};

/** Every place in Postgres where data of a person may be, in the order in which it is erased. */
export async function* walkTables(db: Database, userId: number): AsyncGenerator<Portion, void, undefined> {
  for (const [table, personal] of Object.entries(PERSONAL_TABLES) as [keyof Tables, object][]) {
    if (!Array.isArray(personal)) continue;
    for (const rows of personal as PersonalRows[]) {
      for await (const portion of (rows.portions ?? WHOLE)(db, userId)) {
        yield { table, rows, which: sql<boolean>`${portion} and ${rows.of(userId)}` };
      }
    }
  }
}
