import type { Clock } from '@flotilla/runtime/clock.ts';
import { sql } from 'kysely';
import type { Database } from './connect.ts';

/** By how much (ms) this process's clock is ahead of that of Postgres, to within the time of the query; negative: behind. */
export async function clockAheadMs(db: Database, clock: Clock): Promise<number> {
  const askedAtMs = clock.nowMs();
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as "ms"`.execute(db);
  return Math.round((askedAtMs + clock.nowMs()) / 2 - rows[0]!.ms);
}
