import type { BroadcastState } from '@flotilla/contract/broadcasts.ts';
import type { CallActor } from '@flotilla/contract/call-actor.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { BroadcastsTable } from '@flotilla/database/tables.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import { type Selectable, sql, type Updateable } from 'kysely';
import { type Exact, type Scope, visibleTo } from '../../people/accounts/scope.ts';
import type { Broadcast, BroadcastContent } from './broadcast.ts';

/** Undefined fields do not filter. */
export type BroadcastQuery = {
  botId?: number | undefined;
  state?: BroadcastState | undefined;
};

/** SQL of broadcasts. */
export function broadcastStore(db: Database) {
  const those = (scope: Scope, { botId, state }: BroadcastQuery) => {
    let rows = db.selectFrom('broadcasts').where(visibleTo(scope, 'bot_id'));
    if (botId !== undefined) rows = rows.where('bot_id', '=', botId);
    return state === undefined ? rows : rows.where('state', '=', state);
  };
  return {
    async insert(content: BroadcastContent & { createdBy: CallActor }): Promise<Broadcast> {
      const { sendAt } = content;
      const waits = sql<boolean>`${sendAt}::timestamptz > now()`;
      const row = await db
        .insertInto('broadcasts')
        .values({
          bot_id: content.botId,
          name: content.name,
          audience: jsonb<object>(content.audience),
          method: content.method,
          params: jsonb<Fields>(content.params),
          messages: content.messages,
          per_second: content.perSecond,
          send_at: sendAt,
          state: sql<BroadcastState>`case when ${waits} then 'scheduled' else 'running' end`,
          started_at: sql<Date | null>`case when ${waits} then null else now() end`,
          created_by: jsonb<CallActor>(content.createdBy),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toBroadcast(row);
    },

    async find(id: number): Promise<Broadcast | null> {
      const row = await db.selectFrom('broadcasts').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toBroadcast(row);
    },

    /** Newest first; `beforeId` starts below that broadcast. */
    async list<Given extends BroadcastQuery>(
      scope: Scope,
      query: Exact<BroadcastQuery, Given>,
      page: { limit: number; offset: number; beforeId: number | null },
    ): Promise<Broadcast[]> {
      let rows = those(scope, query).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset);
      if (page.beforeId !== null) rows = rows.where('id', '<', page.beforeId);
      return (await rows.execute()).map(toBroadcast);
    },

    async count<Given extends BroadcastQuery>(scope: Scope, query: Exact<BroadcastQuery, Given>): Promise<number> {
      const { count } = await those(scope, query)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    async unfinishedOf(botId: number): Promise<number> {
      const { count } = await db
        .selectFrom('broadcasts')
        .select((row) => row.fn.countAll<number>().as('count'))
        .where('bot_id', '=', botId)
        .where('ended_at', 'is', null)
        .executeTakeFirstOrThrow();
      return count;
    },

    /** Begins those whose time has come. */
    async beginDue(): Promise<void> {
      await sql`
        update broadcasts set state = 'running', started_at = now()
        where ended_at is null and state = 'scheduled' and send_at <= now()`.execute(db);
    },

    /** Those that workers have something to do for. */
    async active(): Promise<number[]> {
      const rows = await db
        .selectFrom('broadcasts')
        .select('id')
        .where('ended_at', 'is', null)
        .where('state', 'in', ['running', 'cancelled'])
        .orderBy('id')
        .execute();
      return rows.map(({ id }) => id);
    },

    /** null: there is none, or it is locked and `skips`. */
    async lock(id: number, { skips = false } = {}): Promise<Broadcast | null> {
      const rows = db.selectFrom('broadcasts').selectAll().where('id', '=', id).forNoKeyUpdate();
      const row = await (skips ? rows.skipLocked() : rows).executeTakeFirst();
      return row === undefined ? null : toBroadcast(row);
    },

    async end(id: number, state: 'done' | 'cancelled'): Promise<Broadcast> {
      const ended = db.updateTable('broadcasts').set({ state, ended_at: sql<Date>`now()` }).where('id', '=', id);
      return toBroadcast(await ended.returningAll().executeTakeFirstOrThrow());
    },

    async change(id: number, changes: Updateable<BroadcastsTable>): Promise<Broadcast> {
      const changed = db.updateTable('broadcasts').set(changes).where('id', '=', id).returningAll();
      return toBroadcast(await changed.executeTakeFirstOrThrow());
    },
  };
}

function jsonb<Value>(value: Value) {
  return sql<Value>`${JSON.stringify(value)}::jsonb`;
}

function toBroadcast(row: Selectable<BroadcastsTable>): Broadcast {
  const { total, sent, failed, blocked, in_doubt, cancelled } = row;
  const queued = total - sent - failed - blocked - in_doubt - cancelled;
  return {
    id: row.id,
    botId: row.bot_id,
    name: row.name,
    audience: row.audience as Broadcast['audience'],
    method: row.method,
    params: row.params,
    messages: row.messages,
    perSecond: row.per_second,
    sendAt: row.send_at,
    state: row.state,
    counts: { total, queued, sent, failed, blocked, in_doubt, cancelled },
    afterChatId: row.after_chat_id,
    made: row.made,
    releasedTo: row.released_to,
    told: { at: row.told_at, progress: row.told_progress },
    createdBy: row.created_by,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}
