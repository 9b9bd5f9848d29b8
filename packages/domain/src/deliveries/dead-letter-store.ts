import type { Database } from '@flotilla/database/connect.ts';
import type { DeadLettersTable } from '@flotilla/database/tables.ts';
import type { Selectable } from 'kysely';

export type DeadLetter = Selectable<DeadLettersTable>;

/** SQL of the `dead_letters` table. */
export function deadLetterStore(db: Database) {
  return {
    /** Newest first. The page begins after `before`, if given. */
    list: (botId: number, page: { limit: number; offset: number; before: number | null }): Promise<DeadLetter[]> =>
      db
        .selectFrom('dead_letters')
        .selectAll()
        .where('bot_id', '=', botId)
        .$if(page.before !== null, (query) => query.where('id', '<', page.before as number))
        .orderBy('id', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute(),
    count: async (botId: number): Promise<number> => {
      const { count } = await db
        .selectFrom('dead_letters')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('bot_id', '=', botId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /** The dead letters of one reader in the order of their updates. The page begins after this update id and id. */
    nextOf: (
      reader: 'push' | 'rules',
      botId: number,
      after: { updateId: number; id: number },
      limit: number,
      ids?: number[],
    ) =>
      db
        .selectFrom('dead_letters')
        .selectAll()
        .where('bot_id', '=', botId)
        .where('reader', '=', reader)
        .$if(ids !== undefined, (query) => query.where('id', 'in', ids as number[]))
        .where((where) => where(where.refTuple('update_id', 'id'), '>', where.tuple(after.updateId, after.id)))
        .orderBy('update_id')
        .orderBy('id')
        .limit(limit)
        .execute(),
    remove: async (ids: number[]): Promise<void> => {
      if (ids.length > 0) await db.deleteFrom('dead_letters').where('id', 'in', ids).execute();
    },
  };
}
