import { COUNTED_ENTRIES } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { transition } from './entry-state.ts';

/** SQL of upkeep, over the outboxes of all bots. */
export function outboxUpkeepStore(db: Database) {
  return {
    /** Gives up entries of any bot whose time is over. Returns how many. */
    async expire(limit: number): Promise<number> {
      const { may, set } = transition('expire');
      const { numAffectedRows } = await sql`
        with late as (
          select id from outbox where ${may} and expires_at <= now() order by expires_at limit ${limit}
          for no key update skip locked
        )
        update outbox set ${set} from late where outbox.id = late.id and ${may}`.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** Puts entries in doubt that a worker had begun for bots that send nothing now: they have no next owner. Returns how many. */
    async doubtStopped(lateMs: number): Promise<number> {
      const { may, set } = transition('doubt');
      const { numAffectedRows } = await sql`
        update outbox set ${set}, error = 'The bot was switched off before the platform had answered'
        where ${may} and created_at <= now() - make_interval(secs => ${lateMs / 1000})
          and bot_id = any (array(select id from bots where disabled or not manage_enabled))`.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** How many entries of each bot are held, up to COUNTED_ENTRIES. */
    async heldByBot(): Promise<Map<number, number>> {
      const { rows } = await sql<{ id: number; count: number }>`
        select bot.id, held.count from bots as bot cross join lateral (
          select count(*) from (
            select from outbox
            where (bot_id, state, id) >= (bot.id, 'held', 0) and (bot_id, state, id) < (bot.id, 'held', ${sql.lit(Number.MAX_SAFE_INTEGER)})
            order by bot_id, state, id limit ${COUNTED_ENTRIES}
          ) as counted
        ) as held where held.count > 0`.execute(db);
      return new Map(rows.map(({ id, count }) => [id, count]));
    },

    /** Bots with entries that could have been sent so long (ms) ago. */
    async lateBots(lateMs: number): Promise<number[]> {
      const since = sql`now() - make_interval(secs => ${lateMs / 1000})`;
      const late = {
        queued: sql`created_at <= ${since} and coalesce(next_attempt_at, created_at) <= ${since}`,
        scheduled: sql`send_at <= ${since}`,
        // Its worker may have ended.
        sending: sql`created_at <= ${since}`,
      };
      const found = Object.entries(late).map(
        ([state, isLate]) => sql`
          select bot.id from (${botsWith(state)}) as bot
          where exists (select from outbox where bot_id = bot.id and state = ${sql.lit(state)} and ${isLate})`,
      );
      const { rows } = await sql<{ id: number }>`
        select id from bots where not disabled and manage_enabled and id in (${sql.join(found, sql` union `)})
        order by id`.execute(db);
      return rows.map(({ id }) => id);
    },
  };
}

/** The bots with entries in a state: a look into the index for each, however many entries it has. */
function botsWith(state: string) {
  const inState = sql`state = ${sql.lit(state)}`;
  return sql`
    with recursive bot(id) as (
      (select bot_id from outbox where ${inState} order by bot_id limit 1)
      union all
      select (select bot_id from outbox where ${inState} and bot_id > bot.id order by bot_id limit 1)
      from bot where bot.id is not null
    )
    select id from bot where id is not null`;
}
