import type { BroadcastAudience, FAILED_STATES } from '@flotilla/contract/broadcast-audience.ts';
import type { Broadcast } from '@flotilla/contract/broadcasts.ts';
import type { CallActor } from '@flotilla/contract/call-actor.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';
import { unnestRows } from '../../records/history/unnest-rows.ts';
import { authorOf } from '../outbox/author.ts';
import { transition } from '../outbox/entry-state.ts';
import { hasFailed, isIncluded, isOfAudience, isOneOf, namedIn, reachedBy } from './audience.ts';
import { fillTexts, hasNames, type Named } from './fill-texts.ts';

/** The entries that were made, and the last chat that was looked at; null: there was none. */
type Made = { count: number; lastChatId: number | null };

type FailedState = (typeof FAILED_STATES)[number];

/** Chats that did not get a broadcast for one reason. */
export type Failure = { state: FailedState; error_code: number | null; error: string | null; count: number };

type Reason = Pick<NonNullable<BroadcastAudience['failures_of']>, 'state' | 'error'>;
/** A chat that did not get a broadcast. */
export type FailedEntry = Pick<Named, 'username' | 'first_name'> &
  Omit<Failure, 'count'> & { chat_id: number; settled_at: Date | null };
type NamedChat = Named & { id: number | null; type: string; lastChatId: number | null };
const NOBODY: Named = { first_name: null, last_name: null, username: null };

/** With a text of its own, each entry is in the memory of the worker for a moment. */
const CHATS_WITH_NAMES = 500;

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
  const makeWithNames = async (broadcast: Broadcast, chats: number, belong: RawBuilder<unknown>): Promise<Made> => {
    const { params } = broadcast;
    const { rows } = await sql<NamedChat>`
      with ${pageOf(broadcast, chats)}
      select (select max(id) from ids) as "lastChatId", c.* from (values (1)) as one (row) left join (
        select id, type, first_name, last_name, username from page c where ${belong}) as c on true`.execute(db);
    const found = rows.filter((row) => row.id !== null);
    if (found.length === 0) return { count: 0, lastChatId: rows[0]?.lastChatId ?? null };
    const given = await unnestRows(found, [
      ['bigint', ({ id }) => id],
      ['text', (chat) => JSON.stringify(fillTexts(params, chat.type === 'private' ? chat : NOBODY))],
    ]);
    const all = sql`(select each.chat_id, each.params::jsonb from ${given} as each (chat_id, params))`;
    const made = await sql`${inserted(broadcast, all)}`.execute(db);
    return { count: made.rows.length, lastChatId: rows[0]?.lastChatId ?? null };
  };
  return {
    /** Makes entries for those of the next `chats` of the bot, or of those that the audience names, that belong to it. */
    async makeNext(broadcast: Broadcast, chats: number): Promise<Made> {
      const { bot_id, audience, params } = broadcast;
      const belong = sql`${isIncluded(audience)} and ${isOfAudience(bot_id, audience)}`;
      if (hasNames(params)) return makeWithNames(broadcast, Math.min(chats, CHATS_WITH_NAMES), belong);
      // No join, which stale statistics of the planner would make slow.
      const all = sql`(select c.id as chat_id, ${JSON.stringify(params)}::jsonb as params from page c where ${belong})`;
      const { rows } = await sql<Made>`
        with ${pageOf(broadcast, chats)}, made as (${inserted(broadcast, all)})
        select (select count(*) from made) as count, (select max(id) from ids) as "lastChatId"`.execute(db);
      return rows[0] ?? { count: 0, lastChatId: null };
    },

    /** Those that did not reach their chat, in the order of chats. */
    failedAfter(id: number, reason: Reason, afterChatId: number | null, limit: number): Promise<FailedEntry[]> {
      return sql<FailedEntry>`
        select o.chat_id, c.username, c.first_name, o.state, o.error_code, o.error, o.settled_at
        from (select * from outbox where broadcast_id = ${id} and chat_id > ${afterChatId ?? Number.MIN_SAFE_INTEGER}
          and ${hasFailed(reason)} order by chat_id limit ${limit}) as o
        left join chats c on c.bot_id = o.bot_id and c.id = o.chat_id
        order by o.chat_id`
        .execute(db)
        .then(({ rows }) => rows);
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
        .where('state', 'in', ['failed', 'expired', 'in_doubt'])
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

/** The next chats of a broadcast, as `page`, and the `ids` among which they were looked for. */
function pageOf({ bot_id, audience, after_chat_id }: Broadcast, chats: number): RawBuilder<unknown> {
  const after = after_chat_id ?? Number.MIN_SAFE_INTEGER;
  const named = namedIn(audience);
  if (named === null) {
    return sql`page as materialized (
        select c.* from chats c where c.bot_id = ${bot_id} and c.id > ${after} and ${isOneOf(audience)}
        order by c.id limit ${chats}
      ), ids as (select id from page)`;
  }
  return sql`ids as materialized (
      select id, fits from ${named} as named where id > ${after} order by id limit ${chats}
    ), page as materialized (
      select c.* from chats c where c.bot_id = ${bot_id}
        and c.id = any (array(${reachedBy(bot_id, sql`= any (array(select id from ids where fits))`)}))
    )`;
}

/** Makes an entry for each chat of these rows (chat_id, params) that has none; a row for each. */
function inserted(broadcast: Broadcast, chats: RawBuilder<unknown>): RawBuilder<unknown> {
  const { id, bot_id, name, method, messages } = broadcast;
  const created_by: CallActor = { ...broadcast.created_by, automatic: { kind: 'broadcast', id, name } };
  return sql`
    insert into outbox (broadcast_id, bot_id, chat_id, method, params, messages, priority, state, created_by, author)
    select ${id}::bigint, ${bot_id}::bigint, each.chat_id, ${method}, each.params, ${messages}::integer, 'bulk', 'scheduled',
      ${JSON.stringify(created_by)}::jsonb, ${authorOf(created_by)}
    from ${chats} as each order by each.chat_id
    on conflict (broadcast_id, chat_id) where broadcast_id is not null do nothing
    returning 1`;
}
