import type { Database } from '@flotilla/database/connect.ts';
import type { DeliveryJobsTable } from '@flotilla/database/tables.ts';
import type { Insertable, Selectable, Updateable } from 'kysely';

export type DeliveryJob = Selectable<DeliveryJobsTable>;

/** SQL of `delivery_jobs`. */
export function deliveryJobStore(db: Database) {
  return {
    add: (row: Insertable<DeliveryJobsTable>): Promise<DeliveryJob> =>
      db.insertInto('delivery_jobs').values(row).returningAll().executeTakeFirstOrThrow(),
    find: (id: number): Promise<DeliveryJob | undefined> =>
      db.selectFrom('delivery_jobs').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Waits for the batch of another process, so that no two batches of a job run at once. */
    lock: (id: number): Promise<DeliveryJob> =>
      db.selectFrom('delivery_jobs').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow(),
    change: (id: number, changes: Updateable<DeliveryJobsTable>): Promise<DeliveryJob> =>
      db.updateTable('delivery_jobs').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow(),
    unfinishedOf: async (accountId: number): Promise<number> => {
      const { count } = await db
        .selectFrom('delivery_jobs')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('account_id', '=', accountId)
        .where('finished_at', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /** Takes jobs over whose process has not continued them; others find them taken until `until`. */
    takeDue: async (now: Date, until: Date): Promise<number[]> => {
      const taken = await db
        .updateTable('delivery_jobs')
        .set({ resume_at: until })
        .where('finished_at', 'is', null)
        .where('resume_at', '<=', now)
        .returning('id')
        .execute();
      return taken.map(({ id }) => id).sort((one, other) => one - other);
    },
    removeFinished: async (before: Date): Promise<void> => {
      await db.deleteFrom('delivery_jobs').where('finished_at', '<', before).execute();
    },
  };
}
