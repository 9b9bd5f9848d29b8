import { storable } from '@flotilla/contract/resource.ts';
import { type SavedViewRow, savedView, type ViewedScreen } from '@flotilla/contract/saved-views.ts';
import type { Database } from '@flotilla/database/connect.ts';

export type NewView = Pick<SavedViewRow, 'account_id' | 'screen' | 'name' | 'filter'>;

/** SQL of the saved views of accounts. */
export function savedViewStore(db: Database) {
  return {
    /** By name. */
    list(accountId: number, screen: ViewedScreen): Promise<SavedViewRow[]> {
      const ofScreen = db.selectFrom('saved_views').selectAll().where('account_id', '=', accountId);
      return ofScreen.where('screen', '=', screen).orderBy('name').execute();
    },

    /** Views of the screen with other names; another transaction that asks for the account waits until this one has ended. */
    async countOthersLocked({ account_id, screen, name }: NewView): Promise<number> {
      await db.selectFrom('accounts').select('id').where('id', '=', account_id).forUpdate().execute();
      const { count } = await db
        .selectFrom('saved_views')
        .select((row) => row.fn.countAll<number>().as('count'))
        .where('account_id', '=', account_id)
        .where('screen', '=', screen)
        .where('name', '<>', name)
        .executeTakeFirstOrThrow();
      return count;
    },

    /** Replaces the one of the same name on the screen. */
    save(view: NewView): Promise<SavedViewRow> {
      return db
        .insertInto('saved_views')
        .values(storable(savedView, view))
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'screen', 'name'])
            .doUpdateSet((row) => ({ filter: row.ref('excluded.filter') })),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
    },

    /** null if the account has no such view. Throws the error of Postgres if another one of the screen has the name. */
    async rename(accountId: number, id: number, name: string): Promise<SavedViewRow | null> {
      const renamed = db.updateTable('saved_views').set({ name }).where('account_id', '=', accountId);
      return (await renamed.where('id', '=', id).returningAll().executeTakeFirst()) ?? null;
    },

    /** False if the account has no such view. */
    async remove(accountId: number, id: number): Promise<boolean> {
      const removed = db.deleteFrom('saved_views').where('account_id', '=', accountId).where('id', '=', id);
      return (await removed.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}
