import type { Database } from '@flotilla/database/connect.ts';
import { readPartitions } from '@flotilla/database/month-partitions.ts';
import type { Partition } from '@flotilla/database/partition.ts';
import { type RawBuilder, sql } from 'kysely';
import { LISTED_PERIOD_BITS } from './look-up-steps.ts';
import type { Searched } from './search-store.ts';

/** Where words are looked up: partitions of messages, and the periods in them, the newest first. */
export interface SearchPlaces {
  partitions: Partition[];
  periods: number[];
}

const LISTED_PERIOD_S = 2 ** LISTED_PERIOD_BITS;

/** The places of all messages that may be on a page. Whose they are is not asked, so the answer tells nothing about others. */
export async function readSearchPlaces(db: Database, { before, filter }: Searched): Promise<SearchPlaces> {
  const { fromS = -Infinity, toS = Infinity } = filter ?? {};
  const last = Math.min(before?.[0] ?? Infinity, toS);
  const all = await readPartitions(db, 'messages');
  const partitions = all.filter((one) => (one.fromS ?? -Infinity) <= last && (one.untilS ?? Infinity) > fromS);
  const periods = new Set<number>();
  for (const { name, fromS: first, untilS } of partitions) {
    const found = first === null || untilS === null ? await periodsIn(db, name) : periodsBetween(first, untilS);
    for (const period of found) periods.add(period);
  }
  const isWanted = (period: number) => startOf(period) <= last && startOf(period + 1) > fromS;
  return { partitions, periods: [...periods].filter(isWanted).sort((a, b) => b - a) };
}

/** The periods with messages in the first or the last partition, in which dates may be anything. */
async function periodsIn(db: Database, partition: string): Promise<number[]> {
  const newest = (condition: RawBuilder<unknown>) => sql`(
    select date >> ${sql.lit(LISTED_PERIOD_BITS)} from ${sql.table(partition)} where ${condition}
    order by date + 0 desc limit 1)`;
  const { rows } = await sql<{ period: number }>`
    with recursive found (period) as (
      select ${newest(sql`true`)}
      union all
      select ${newest(sql`date + 0 < found.period << ${sql.lit(LISTED_PERIOD_BITS)}`)}
      from found where found.period is not null
    )
    select period from found where period is not null`.execute(db);
  return rows.map(({ period }) => period);
}

function periodsBetween(fromS: number, untilS: number): number[] {
  const first = Math.floor(fromS / LISTED_PERIOD_S);
  return Array.from({ length: Math.ceil(untilS / LISTED_PERIOD_S) - first }, (_, at) => first + at);
}

function startOf(period: number): number {
  return period * LISTED_PERIOD_S;
}
