import { OUTBOX_STATES, type OutboxState, type Priority } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { OutboxTable } from '@flotilla/database/tables.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { CallActor } from '../../records/history/stream/captured-call.ts';
import type { Content, Entry } from './entry.ts';
import { type EntryEvent, transition } from './entry-state.ts';
import { SPENDING } from './sendable.ts';

export type NewEntry = Content & { botId: number; idempotencyKey: string | null; createdBy: CallActor };

/** Undefined fields do not filter. */
export type EntryQuery = {
  bots: 'all' | ReadonlySet<number>;
  botId?: number | undefined;
  chatId?: number | undefined;
  state?: OutboxState | undefined;
  states?: readonly OutboxState[] | undefined;
  priority?: Priority | undefined;
  broadcastId?: number | undefined;
  sinceS?: number | undefined;
  untilS?: number | undefined;
  ids?: readonly number[] | undefined;
  /** False leaves out entries of broadcasts. */
  ofBroadcasts?: boolean;
  /** False leaves out what `refuseSpending` refuses. */
  spending?: boolean;
};

/** How many entries changed, by bot. */
export type ChangedOfBot = { botId: number; count: number };

/** SQL of the outbox for those who fill it and look at it. */
export function outboxStore(db: Database) {
  const those = (query: EntryQuery) => {
    const { bots, botId, chatId, state, states, priority, broadcastId, sinceS, untilS, ids } = query;
    let rows = db.selectFrom('outbox');
    if (bots !== 'all') rows = rows.where('bot_id', '=', sql<number>`any(${[...bots]}::bigint[])`);
    if (botId !== undefined) rows = rows.where('bot_id', '=', botId);
    if (chatId !== undefined) rows = rows.where('chat_id', '=', chatId);
    if (state !== undefined) rows = rows.where('state', '=', state);
    if (states !== undefined) rows = rows.where('state', '=', sql<OutboxState>`any(${[...states]}::text[])`);
    if (priority !== undefined) rows = rows.where('priority', '=', priority);
    if (broadcastId !== undefined) rows = rows.where('broadcast_id', '=', broadcastId);
    if (sinceS !== undefined) rows = rows.where('created_at', '>=', new Date(sinceS * 1000));
    if (untilS !== undefined) rows = rows.where('created_at', '<', new Date(untilS * 1000));
    if (query.ofBroadcasts === false) rows = rows.where('broadcast_id', 'is', null);
    if (query.spending === false) rows = rows.where(isFree());
    return ids === undefined ? rows : rows.where('id', '=', sql<number>`any(${[...ids]}::bigint[])`);
  };
  return {
    /** null: the bot has an entry with that key. */
    async insert(entry: NewEntry): Promise<Entry | null> {
      const row = await db
        .insertInto('outbox')
        .values({
          ...columnsOf(entry),
          chat_id: entry.chatId,
          idempotency_key: entry.idempotencyKey,
        })
        .onConflict((conflict) =>
          conflict.columns(['bot_id', 'idempotency_key']).where('idempotency_key', 'is not', null).doNothing(),
        )
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : toEntry(row);
    },

    async find(id: number): Promise<Entry | null> {
      const row = await db.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toEntry(row);
    },

    async findByKey(botId: number, key: string): Promise<Entry | null> {
      const rows = db.selectFrom('outbox').selectAll().where('bot_id', '=', botId);
      const row = await rows.where('idempotency_key', '=', key).executeTakeFirst();
      return row === undefined ? null : toEntry(row);
    },

    /** Newest first; `beforeId` starts below that entry. */
    async list(query: EntryQuery, page: { limit: number; offset: number; beforeId: number | null }): Promise<Entry[]> {
      let rows = those(query).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset);
      if (page.beforeId !== null) rows = rows.where('id', '<', page.beforeId);
      return (await rows.execute()).map(toEntry);
    },

    async count(query: EntryQuery): Promise<number> {
      const { count } = await those(query)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** How many of a bot wait, up to `most` in each state; those of broadcasts wait elsewhere until they are released. */
    async countWaiting(botId: number, most: number): Promise<number> {
      const ofBot = sql`from outbox where bot_id = ${botId}`;
      const { rows } = await sql<{ count: number }>`
        select (select count(*) from (select ${ofBot} and state = 'queued' limit ${most}) as queued)
          + (select count(*) from (select ${ofBot} and state = 'scheduled' and send_at is not null limit ${most}) as scheduled)
          as count`.execute(db);
      return rows[0]!.count;
    },

    async countByState(query: EntryQuery): Promise<Record<OutboxState, number>> {
      const rows = await those(query)
        .select((row) => ['state' as const, row.fn.countAll<number>().as('count')])
        .groupBy('state')
        .execute();
      const counted = new Map(rows.map(({ state, count }) => [state, count]));
      const counts = OUTBOX_STATES.map((state) => [state, counted.get(state) ?? 0]);
      return Object.fromEntries(counts) as Record<OutboxState, number>;
    },

    /** Ids of matching entries above this one, in their order. */
    async idsAfter(query: EntryQuery, afterId: number, limit: number): Promise<number[]> {
      const rows = await those(query).select('id').where('id', '>', afterId).orderBy('id').limit(limit).execute();
      return rows.map(({ id }) => id);
    },

    /** Does this to those of the entries to which it may happen. */
    async change(event: Extract<EntryEvent, 'cancel' | 'resend'>, ids: readonly number[]): Promise<ChangedOfBot[]> {
      const { may, set } = transition(event);
      const fresh =
        event === 'resend'
          ? sql`, claim = null, attempts = 0, next_attempt_at = null, error_code = null, error = null,
              first_expires_at = coalesce(first_expires_at, expires_at),
              expires_at = case when expires_at > now() then expires_at end`
          : sql``;
      const { rows } = await sql<ChangedOfBot>`
        with changed as (
          update outbox set ${set}${fresh} where id = any(${[...ids]}::bigint[]) and ${may} returning bot_id
        )
        select bot_id as "botId", count(*) as count from changed group by bot_id order by bot_id`.execute(db);
      return rows;
    },
  };
}

/** The condition of what costs no Stars and is no invoice. */
function isFree(): RawBuilder<boolean> {
  const { methods, parameters } = SPENDING;
  const names = parameters.map((name) => sql`coalesce(params -> ${name}::text, 'false') = 'false'::jsonb`);
  return sql<boolean>`(method <> all (${methods}::text[]) and ${sql.join(names, sql` and `)})`;
}

function columnsOf(entry: Omit<NewEntry, 'chatId' | 'idempotencyKey'>) {
  const { sendAt } = entry;
  return {
    bot_id: entry.botId,
    method: entry.method,
    params: jsonb<Fields>(entry.params),
    messages: entry.messages,
    priority: entry.priority,
    state: sql<'scheduled' | 'queued'>`case when ${sendAt}::timestamptz > now() then 'scheduled' else 'queued' end`,
    send_at: sql<Date | null>`${sendAt}::timestamptz`,
    expires_at: sql<Date | null>`${entry.expiresAt}::timestamptz`,
    created_by: jsonb<Record<string, unknown>>(entry.createdBy),
  };
}

function jsonb<Value>(value: Value) {
  return sql<Value>`${JSON.stringify(value)}::jsonb`;
}

function toEntry(row: Selectable<OutboxTable>): Entry {
  return {
    id: row.id,
    botId: row.bot_id,
    chatId: row.chat_id,
    method: row.method,
    params: row.params,
    messages: row.messages,
    priority: row.priority,
    state: row.state,
    sendAt: row.send_at,
    expiresAt: row.expires_at,
    firstExpiresAt: row.first_expires_at,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    errorCode: row.error_code,
    error: row.error,
    messageId: row.message_id,
    result: row.result,
    broadcastId: row.broadcast_id,
    idempotencyKey: row.idempotency_key,
    createdBy: row.created_by,
    createdAt: row.created_at,
    settledAt: row.settled_at,
  };
}
