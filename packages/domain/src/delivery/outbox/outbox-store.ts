import type { CallActor } from '@flotilla/contract/call-actor.ts';
import {
  COUNTED_ENTRIES,
  OUTBOX_STATES,
  type OutboxEntry,
  type OutboxState,
  outboxEntry,
  RESTORABLE_S,
} from '@flotilla/contract/outbox.ts';
import { storable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Exact, type Scope, visibleTo } from '../../people/accounts/scope.ts';
import { type AuthoredEntry, authorOf } from './author.ts';
import { type EntryQuery, type IdRange, idRange, matching } from './entry-query.ts';
import { type EntryEvent, transition } from './entry-state.ts';
import { supergroupOf } from './present-chat.ts';
import { FOR_EVERYBODY } from './sendable.ts';

export type NewEntry = Pick<
  OutboxEntry,
  | ('bot_id' | 'chat_id' | 'method' | 'params' | 'bytes' | 'messages' | 'priority')
  | ('send_at' | 'expires_at' | 'idempotency_key' | 'created_by')
>;

/** How much room is used: entries, and the bytes of their parameters. */
export type Waiting = { entries: number; bytes: number };

/** How many entries of a bot changed, and how many of these were released. */
export type ChangedOfBot = { bot_id: number; count: number; released: number };
/**
 * `released`: those of `ids` that go by the right of who changes them from now on. Without it, what is sent again goes by its author's
 * right, also if an admin had released it.
 */
export type ToChange = { ids: readonly number[]; released?: readonly number[] | undefined };

export type ChangeEvent = Extract<EntryEvent, 'cancel' | 'resend' | 'release'>;

/** SQL of the outbox for those who fill it and look at it. */
export function outboxStore(db: Database) {
  return {
    /** null: its author has an entry of the bot with that key. */
    async insert(entry: NewEntry): Promise<OutboxEntry | null> {
      const added = await db
        .insertInto('outbox')
        .values({
          ...storable(outboxEntry, entry),
          state: sql`case when ${entry.send_at}::timestamptz > now() then 'scheduled' else 'queued' end`,
          author: authorOf(entry.created_by),
        })
        .onConflict((conflict) =>
          conflict
            .columns(['bot_id', 'author', 'idempotency_key'])
            .where('idempotency_key', 'is not', null)
            .doNothing(),
        )
        .returningAll()
        .executeTakeFirst();
      return added ?? null;
    },

    async find(id: number): Promise<OutboxEntry | null> {
      return (await db.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
    },

    async findByKey(botId: number, author: string, key: string): Promise<OutboxEntry | null> {
      const rows = db.selectFrom('outbox').selectAll().where('bot_id', '=', botId).where('author', '=', author);
      return (await rows.where('idempotency_key', '=', key).executeTakeFirst()) ?? null;
    },

    /** Newest first; `beforeId` starts below that entry. */
    async list<Given extends EntryQuery>(
      scope: Scope,
      query: Exact<EntryQuery, Given>,
      page: { limit: number; offset: number; beforeId: number | null },
    ): Promise<OutboxEntry[]> {
      const range = await idRange(db, query);
      const below = Math.min(page.beforeId ?? Number.POSITIVE_INFINITY, range.below ?? Number.POSITIVE_INFINITY);
      const found = matching(
        scope,
        query,
        { ...range, below: Number.isFinite(below) ? below : null },
        { columns: sql`*`, order: 'desc', limit: page.offset + page.limit },
      );
      const { rows } = await sql<OutboxEntry>`select * from (${found}) as found offset ${page.offset}`.execute(db);
      return rows;
    },

    /** Up to COUNTED_ENTRIES. */
    async count<Given extends EntryQuery>(scope: Scope, query: Exact<EntryQuery, Given>): Promise<number> {
      const { rows } = await sql<{
        count: number;
      }>`select ${counted(scope, query, await idRange(db, query))} as count`.execute(db);
      return rows[0]!.count;
    },

    /** Entries that wait for a bot, by who has a share (`sharerOf`); those of broadcasts wait elsewhere until released. */
    async waitingBySharer(botId: number): Promise<(Waiting & { sharer: string })[]> {
      const { rows } = await sql<Waiting & { sharer: string }>`
        select coalesce('program:' || (created_by ->> 'programId'), 'account:' || (created_by ->> 'accountId'), '') as sharer,
          count(*) as entries, sum(bytes)::float8 as bytes
        from outbox where bot_id = ${botId} and settled_at is null and broadcast_id is null
        group by 1`.execute(db);
      return rows;
    },

    /** Up to COUNTED_ENTRIES of each. */
    async countByState<Given extends EntryQuery>(
      scope: Scope,
      query: Exact<EntryQuery, Given>,
    ): Promise<Record<OutboxState, number>> {
      const range = await idRange(db, query);
      const counts = OUTBOX_STATES.map(
        (state) => sql`${counted(scope, { ...query, state }, range)} as ${sql.ref(state)}`,
      );
      const { rows } = await sql<Record<OutboxState, number>>`select ${sql.join(counts)}`.execute(db);
      return rows[0]!;
    },

    /** Ids of matching entries above this one, in their order. */
    async idsAfter(scope: Scope, query: EntryQuery, afterId: number, limit: number): Promise<number[]> {
      const range = await idRange(db, query);
      const from = Math.max(range.from ?? 0, afterId + 1);
      const found = matching(scope, query, { ...range, from }, { columns: sql`id`, order: 'asc', limit });
      const { rows } = await sql<{ id: number }>`${found}`.execute(db);
      return rows.map(({ id }) => id);
    },

    /** Whose these entries are, with the parameters that may cost Stars. */
    async authored(ids: readonly number[]): Promise<(AuthoredEntry & Pick<OutboxEntry, 'id'>)[]> {
      const { rows } = await sql<AuthoredEntry & Pick<OutboxEntry, 'id'>>`
        select id, bot_id, method, broadcast_id, created_by, released_by, coalesce((
            select jsonb_object_agg(key, value) from jsonb_each(params) where key = any(${FOR_EVERYBODY.without}::text[])
          ), '{}') as params
        from outbox where id = any(${[...ids]}::bigint[])`.execute(db);
      return rows;
    },

    /** Does this to those of the entries to which it may happen. */
    async change(
      scope: Scope,
      event: ChangeEvent,
      { ids, released }: ToChange,
      by: CallActor,
    ): Promise<ChangedOfBot[]> {
      const { may, set } = transition(event);
      const isReleased = sql`id = any(${[...(released ?? [])]}::bigint[])`;
      const before = event === 'resend' && released === undefined ? sql`null` : sql`released_by`;
      const { rows } = await sql<ChangedOfBot>`
        with changed as (
          update outbox set ${set}${alsoSet(event)},
            released_by = case when ${isReleased} then ${JSON.stringify(by)}::jsonb else ${before} end
          where id = any(${[...ids]}::bigint[]) and ${visibleTo(scope, 'bot_id')} and ${may} returning id, bot_id
        )
        select bot_id, count(*) as count, count(*) filter (where ${isReleased}) as released
        from changed group by bot_id order by bot_id`.execute(db);
      return rows;
    },

    /**
     * Lets those of the entries wait again that were cancelled a moment ago, and that nothing has overtaken in their chats. Needs a
     * transaction: until it ends, no worker begins an entry of their bots, as `begin` skips a bot whose claim is being written.
     */
    async restore(scope: Scope, ids: readonly number[]): Promise<ChangedOfBot[]> {
      const these = sql`id = any(${[...ids]}::bigint[]) and ${visibleTo(scope, 'bot_id')}`;
      await sql`
        insert into outbox_claims (bot_id, claim)
        select id, 0 from bots where id in (select bot_id from outbox where ${these}) order by id
        on conflict (bot_id) do update set claim = outbox_claims.claim`.execute(db);
      const present = supergroupOf(sql`outbox.chat_id`);
      await sql`
        update outbox set chat_id = ${present}
        where ${these} and ${transition('restore').may} and ${MAY_RETURN} and chat_id <> ${present}`.execute(db);
      const restored: { bot_id: number }[] = [];
      for (const [event, isIts] of [
        ['restore', sql`(send_at is null or send_at <= now()) and not ${WAS_OVERTAKEN}`],
        ['reschedule', sql`send_at > now()`],
      ] as const) {
        const { may, set } = transition(event);
        const { rows } = await sql<{ bot_id: number }>`
          update outbox set ${set} where ${these} and ${may} and ${MAY_RETURN} and ${isIts}
          returning bot_id`.execute(db);
        restored.push(...rows);
      }
      const byBot = Map.groupBy(restored, ({ bot_id }) => bot_id);
      return [...byBot].map(([bot_id, { length: count }]) => ({ bot_id, count, released: 0 }));
    },
  };
}

/** Whoever cancelled it has just done so, and it would not be too late. */
const MAY_RETURN = sql`broadcast_id is null and settled_at > now() - make_interval(secs => ${RESTORABLE_S})
  and (expires_at is null or expires_at > now())`;

/** An entry behind it has gone out since it was cancelled. */
const WAS_OVERTAKEN = sql`exists (
  select from outbox later where later.chat_id = outbox.chat_id and later.bot_id = outbox.bot_id
    and later.priority = outbox.priority and later.id > outbox.id
    and later.state in ('sending', 'sent', 'failed', 'in_doubt') and coalesce(later.settled_at, now()) >= outbox.settled_at)`;

function alsoSet(event: ChangeEvent): RawBuilder<unknown> {
  switch (event) {
    case 'cancel':
      return sql``;
    case 'resend':
      // The claim stays: a former owner may still learn that it was sent, until the entry is begun again.
      return sql`, attempts = 0, next_attempt_at = null, error_code = null, error = null,
        first_expires_at = coalesce(first_expires_at, expires_at),
        expires_at = case when expires_at > now() then expires_at end`;
    case 'release':
      // One of a broadcast that goes on has no time: its broadcast releases it.
      return sql`, error = null,
        send_at = case when not exists (
          select from broadcasts where broadcasts.id = outbox.broadcast_id and broadcasts.ended_at is null
        ) then coalesce(send_at, now()) end`;
  }
}

function counted(scope: Scope, query: EntryQuery, range: IdRange): RawBuilder<number> {
  const found = matching(scope, query, range, { columns: sql`id`, limit: COUNTED_ENTRIES });
  return sql<number>`(select count(*) from (${found}) as found)`;
}
