import type { EventKind, EventRow } from '@flotilla/contract/events.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { type Scope, visibleTo } from '../accounts/scope.ts';

export type EventQuery = {
  /** null: any. */
  id: number | null;
  kinds: readonly EventKind[] | null;
  since: Date | null;
  until: Date | null;
};

/** SQL of events. */
export function eventStore(db: Database) {
  const matching = (scope: Scope, { id, kinds, since, until }: EventQuery) => {
    let events = db.selectFrom('events').where(visibleTo(scope, 'bot_id'));
    if (id !== null) events = events.where('id', '=', id);
    if (kinds !== null) events = events.where('kind', '=', sql<EventKind>`any (${[...kinds]}::text[])`);
    if (since !== null) events = events.where('at', '>=', since);
    return until === null ? events : events.where('at', '<', until);
  };
  return {
    /** Newest first. Those of no bot are in the scope of all bots only. */
    list(
      scope: Scope,
      query: EventQuery,
      page: { limit: number; offset: number; beforeId: number | null },
    ): Promise<EventRow[]> {
      let events = matching(scope, query).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset);
      if (page.beforeId !== null) events = events.where('id', '<', page.beforeId);
      return events.execute();
    },

    async count(scope: Scope, query: EventQuery): Promise<number> {
      const { count } = await matching(scope, query)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** By their ids. */
    async findAll(ids: readonly number[]): Promise<Map<number, EventRow>> {
      const rows = await sql<EventRow>`select * from events where id = any (${ids}::bigint[])`.execute(db);
      return new Map(rows.rows.map((event) => [event.id, event]));
    },
  };
}
