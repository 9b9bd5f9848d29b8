import type { Database } from '@flotilla/database/connect.ts';
import type { RepliesTable } from '@flotilla/database/tables.ts';
import { type Selectable, sql } from 'kysely';

export type Reply = Selectable<RepliesTable>;
export type NewReply = Pick<Reply, 'name' | 'text' | 'parse_mode' | 'bot_ids'>;

/** SQL of saved replies. */
export function replyStore(db: Database) {
  const row = ({ bot_ids, ...fields }: Partial<NewReply>) => ({
    ...fields,
    // A value of its own would be taken for an array of Postgres.
    ...(bot_ids === undefined ? {} : { bot_ids: sql<number[] | null>`${JSON.stringify(bot_ids)}::jsonb` }),
  });
  return {
    /** By their names. */
    list(): Promise<Reply[]> {
      return db.selectFrom('replies').selectAll().orderBy('name').orderBy('id').execute();
    },

    async count(): Promise<number> {
      const { count } = await db
        .selectFrom('replies')
        .select((replies) => replies.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    async find(id: number): Promise<Reply | null> {
      return (await db.selectFrom('replies').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
    },

    /** The same, locked until the transaction ends. */
    async lock(id: number): Promise<Reply | null> {
      const found = db.selectFrom('replies').selectAll().where('id', '=', id).forUpdate();
      return (await found.executeTakeFirst()) ?? null;
    },

    insert(reply: NewReply): Promise<Reply> {
      return db
        .insertInto('replies')
        .values({ ...reply, ...row(reply) })
        .returningAll()
        .executeTakeFirstOrThrow();
    },

    update(id: number, changes: Partial<NewReply>): Promise<Reply> {
      return db.updateTable('replies').set(row(changes)).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
    },

    async remove(id: number): Promise<void> {
      await db.deleteFrom('replies').where('id', '=', id).execute();
    },
  };
}
