import { type Broadcast, type BroadcastState, broadcastResource } from '@flotilla/contract/broadcasts.ts';
import { type Filters, storable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { filtered } from '@flotilla/database/filtered.ts';
import { sql } from 'kysely';
import { type Exact, type Scope, visibleTo } from '../../people/accounts/scope.ts';
import type { BroadcastContent } from './broadcast.ts';

/** Undefined fields do not filter. */
export type BroadcastQuery = Filters<typeof broadcastResource>;

/** SQL of broadcasts. */
export function broadcastStore(db: Database) {
  const those = (scope: Scope, query: BroadcastQuery) =>
    db.selectFrom('broadcasts').where(visibleTo(scope, 'bot_id')).where(filtered(broadcastResource, query));
  return {
    insert(content: BroadcastContent & Pick<Broadcast, 'created_by'>): Promise<Broadcast> {
      const waits = sql<boolean>`${content.send_at}::timestamptz > now()`;
      const values = {
        ...storable(broadcastResource, content),
        state: sql<BroadcastState>`case when ${waits} then 'scheduled' else 'running' end`,
        started_at: sql<Date | null>`case when ${waits} then null else now() end`,
      };
      return db.insertInto('broadcasts').values(values).returningAll().executeTakeFirstOrThrow();
    },

    async find(id: number): Promise<Broadcast | null> {
      return (await db.selectFrom('broadcasts').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
    },

    /** Newest first; `beforeId` starts below that broadcast. */
    async list<Given extends BroadcastQuery>(
      scope: Scope,
      query: Exact<BroadcastQuery, Given>,
      page: { limit: number; offset: number; beforeId: number | null },
    ): Promise<Broadcast[]> {
      let rows = those(scope, query).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset);
      if (page.beforeId !== null) rows = rows.where('id', '<', page.beforeId);
      return rows.execute();
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

    /** Those that have not ended. `isDue`: one that is scheduled begins now. */
    unfinished(): Promise<{ id: number; state: BroadcastState; isDue: boolean }[]> {
      const isDue = sql<boolean>`state = 'scheduled' and send_at <= now()`.as('isDue');
      return db
        .selectFrom('broadcasts')
        .select(['id', 'state', isDue])
        .where('ended_at', 'is', null)
        .orderBy('id')
        .execute();
    },

    /** null: there is none, or it is locked and `skips`. */
    async lock(id: number, { skips = false } = {}): Promise<Broadcast | null> {
      const rows = db.selectFrom('broadcasts').selectAll().where('id', '=', id).forNoKeyUpdate();
      return (await (skips ? rows.skipLocked() : rows).executeTakeFirst()) ?? null;
    },

    end(id: number, state: 'done' | 'cancelled'): Promise<Broadcast> {
      const ended = db.updateTable('broadcasts').set({ state, ended_at: sql<Date>`now()` }).where('id', '=', id);
      return ended.returningAll().executeTakeFirstOrThrow();
    },

    /** Notes how far the entries are made. */
    async noteMade(id: number, made: Pick<Broadcast, 'total' | 'after_chat_id' | 'made'>): Promise<Broadcast> {
      // A trigger refuses workers of a release that does not know all audiences.
      await sql`select set_config('flotilla.audiences', 'known', true)`.execute(db);
      return this.change(id, made);
    },

    change(id: number, changes: Partial<Broadcast>): Promise<Broadcast> {
      const changed = db.updateTable('broadcasts').set(storable(broadcastResource, changes)).where('id', '=', id);
      return changed.returningAll().executeTakeFirstOrThrow();
    },
  };
}
