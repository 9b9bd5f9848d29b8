import { PERSONAL_PLACES, type PersonalCounts } from '@flotilla/contract/people.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { walkTables } from './walk-tables.ts';

/** How many rows of each place hold data of a person. */
export async function countPerson(db: Database, userId: number): Promise<PersonalCounts> {
  const counts = Object.fromEntries(PERSONAL_PLACES.map((place) => [place, 0])) as PersonalCounts;
  for await (const { table, rows, which } of walkTables(db, userId)) {
    const counted = sql<{ count: number }>`select count(*) as count from ${sql.table(table)} where ${which}`;
    counts[rows.place] += (await counted.execute(db)).rows[0]!.count;
  }
  return counts;
}
