import { type Reply, replyResource } from '@flotilla/contract/replies.ts';
import { type Additions, storable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';

export type NewReply = Additions<typeof replyResource>;

/** SQL of saved replies. */
export function replyStore(db: Database) {
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
      const values = storable(replyResource, reply);
      return db.insertInto('replies').values(values).returningAll().executeTakeFirstOrThrow();
    },

    update(id: number, changes: Partial<NewReply>): Promise<Reply> {
      const values = storable(replyResource, changes);
      return db.updateTable('replies').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
    },

    async remove(id: number): Promise<void> {
      await db.deleteFrom('replies').where('id', '=', id).execute();
    },
  };
}
