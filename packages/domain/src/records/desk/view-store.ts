import { type ChatViewRow, chatView } from '@flotilla/contract/chat-views.ts';
import { storable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';

/** SQL of the saved views of accounts. */
export function viewStore(db: Database) {
  return {
    /** By name. */
    list(accountId: number): Promise<ChatViewRow[]> {
      return db.selectFrom('chat_views').selectAll().where('account_id', '=', accountId).orderBy('name').execute();
    },

    /** Replaces the one of the same name. */
    save(view: Pick<ChatViewRow, 'account_id' | 'name' | 'filter'>): Promise<ChatViewRow> {
      return db
        .insertInto('chat_views')
        .values(storable(chatView, view))
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'name']).doUpdateSet((row) => ({ filter: row.ref('excluded.filter') })),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
    },

    /** False if the account has no such view. */
    async remove(accountId: number, id: number): Promise<boolean> {
      const removed = db.deleteFrom('chat_views').where('account_id', '=', accountId).where('id', '=', id);
      return (await removed.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}
