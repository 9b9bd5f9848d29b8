import type { Broadcast } from '@flotilla/contract/broadcasts.ts';
import type { CallActor } from '@flotilla/contract/call-actor.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { authorOf } from '../outbox/author.ts';
import { transition } from '../outbox/entry-state.ts';
import { isIncluded, isNamed, isOfAudience } from './audience.ts';

/** The entries that were made, and the last chat that was looked at; null: there was none. */
type Made = { count: number; lastChatId: number | null };

/** Chats that did not get a broadcast for one reason. */
export type Failure = { state: 'failed' | 'in_doubt'; error_code: number | null; error: string | null; count: number };

/** Released entries count as late from then on. */
const TIME_OF = { due: sql`, send_at = now()`, recall: sql`, send_at = null`, cancel: sql`` };

/**
 * SQL of the entries of a broadcast. They wait as `scheduled` without a time, and are released to the queue of their bot a few at a
 * time: so the queue stays short, and a pause holds at once.
 */
export function broadcastEntryStore(db: Database) {
  const move = async (event: 'due' | 'recall' | 'cancel', id: number, limit: number): Promise<number> => {
    const { may, set } = transition(event);
    // Of two states, the order would be made anew for each portion.
    const order = event === 'cancel' ? sql`` : sql`order by id`;
    // Entries that an owner of the outbox just takes, or that somebody else changes, are left to them.
    const { numAffectedRows } = await sql`
      with chosen as (
        select id from outbox where broadcast_id = ${id} and ${may} ${order} limit ${limit} for update skip locked
      )
      update outbox set ${set}${TIME_OF[event]} from chosen where outbox.id = chosen.id`.execute(db);
    return Number(numAffectedRows ?? 0);
  };
  return {
    /** Makes entries for those of the next `chats` of the bot that belong to the audience. */
    async makeNext(broadcast: Broadcast, chats: number): Promise<Made> {
      const { id, bot_id, name, audience, method, params, messages, after_chat_id } = broadcast;
      const created_by: CallActor = { ...broadcast.created_by, automatic: { kind: 'broadcast', id, name } };
      // No join, which stale statistics of the planner would make slow.
      const { rows } = await sql<Made>`
        with page as materialized (
          select c.* from chats c
          where c.bot_id = ${bot_id} and c.id > ${after_chat_id ?? Number.MIN_SAFE_INTEGER} and ${isNamed(audience)}
          order by c.id limit ${chats}
        ), made as (
          insert into outbox (broadcast_id, bot_id, chat_id, method, params, messages, priority, state, created_by,
            author)
          select ${id}::bigint, c.bot_id, c.id, ${method}, ${JSON.stringify(params)}::jsonb, ${messages}::integer, 'bulk',
            'scheduled', ${JSON.stringify(created_by)}::jsonb, ${authorOf(created_by)}
          from page c
          where ${isIncluded(audience)} and ${isOfAudience(bot_id, audience)}
          order by c.id
          on conflict (broadcast_id, chat_id) where broadcast_id is not null do nothing
          returning 1
        )
        select (select count(*) from made) as count, (select max(id) from page) as "lastChatId"`.execute(db);
      return rows[0] ?? { count: 0, lastChatId: null };
    },

    /** Takes back what came to the queue of a paused broadcast after the pause: a send that the platform put off, or was resent. */
    async holdOfPaused(limit: number): Promise<void> {
      const { may, set } = transition('recall');
      await sql`
        with chosen as (
          select outbox.id from broadcasts b join outbox on outbox.broadcast_id = b.id
          where b.ended_at is null and b.state = 'paused' and ${may} limit ${limit} for update of outbox skip locked
        )
        update outbox set ${set}${TIME_OF.recall} from chosen where outbox.id = chosen.id`.execute(db);
    },

    /** How many are in the queue of their bot, or are being sent. */
    async countReleased(id: number): Promise<number> {
      const { count } = await db
        .selectFrom('outbox')
        .select((row) => row.fn.countAll<number>().as('count'))
        .where('broadcast_id', '=', id)
        .where('state', 'in', ['queued', 'sending'])
        .executeTakeFirstOrThrow();
      return count;
    },

    /** Why chats did not get it, the most frequent first. */
    failures(id: number, limit: number): Promise<Failure[]> {
      return db
        .selectFrom('outbox')
        .select((row) => ['state', 'error_code', 'error', row.fn.countAll<number>().as('count')])
        .where('broadcast_id', '=', id)
        .where('state', 'in', ['failed', 'in_doubt'])
        .groupBy(['state', 'error_code', 'error'])
        .orderBy('count', 'desc')
        .orderBy('error')
        .limit(limit)
        .execute() as Promise<Failure[]>;
    },

    /** Each returns how many entries it changed. */
    release: (id: number, limit: number) => move('due', id, limit),
    hold: (id: number, limit: number) => move('recall', id, limit),
    cancel: (id: number, limit: number) => move('cancel', id, limit),
  };
}
