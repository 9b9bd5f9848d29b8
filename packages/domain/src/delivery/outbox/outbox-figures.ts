import type { Database } from '@flotilla/database/connect.ts';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { sql } from 'kysely';

/** The entries in the outbox of all bots that have not ended, or ended in doubt. */
export type OutboxFigures = {
  entries: Record<'scheduled' | 'queued' | 'held' | 'sending' | 'in_doubt', number>;
  /** For how long the oldest entry could have been sent that was not; 0: none waits. Bots that are disabled do not count. */
  oldestDueMs: number;
};

/** null while Postgres is away. */
export async function readOutboxFigures({ db }: { db: Database }): Promise<OutboxFigures | null> {
  try {
    const { rows } = await sql<OutboxFigures['entries'] & { oldestDueMs: number }>`
      select
        (select count(*) from outbox where state = 'scheduled') as scheduled,
        (select count(*) from outbox where state = 'queued') as queued,
        (select count(*) from outbox where state = 'held') as held,
        (select count(*) from outbox where state = 'sending') as sending,
        (select count(*) from outbox where state = 'in_doubt') as in_doubt,
        coalesce((
          select greatest(extract(epoch from now() - min(coalesce(next_attempt_at, send_at, outbox.created_at))) * 1000, 0)
          from outbox join bots on bots.id = bot_id and not disabled and manage_enabled
          where state = 'queued'), 0)::float8 as "oldestDueMs"`.execute(db);
    const { oldestDueMs, ...entries } = rows[0]!;
    return { entries, oldestDueMs };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return null;
  }
}
