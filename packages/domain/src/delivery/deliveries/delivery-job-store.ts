import { type DeliveryFilter, filterFields } from '@flotilla/contract/deliveries.ts';
import type { DeliveryJob } from '@flotilla/contract/delivery-jobs.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { z } from 'zod';
import { EVERYTHING, type Scope, within } from '../../people/accounts/scope.ts';

type NewJob = Pick<
  DeliveryJob,
  'action' | 'bot_ids' | 'filter' | 'actor' | 'account_id' | 'upto_id' | 'matched' | 'resume_at'
> &
  Partial<Pick<DeliveryJob, 'sent'>>;
type JobFilter = DeliveryFilter & { ids?: readonly number[] | undefined };

/** A release before stored these names. */
const FORMER: Record<string, string> = {
  programId: 'program_id',
  reasonCode: 'reason_code',
  sinceS: 'since',
  untilS: 'until',
};

/** A condition that this release does not know must not be passed over: more would be discarded than was chosen. */
const storedFilter = z.preprocess(
  (stored) =>
    Object.fromEntries(Object.entries(stored as object).map(([name, value]) => [FORMER[name] ?? name, value])),
  z.strictObject({ ...filterFields, ids: z.array(z.int()).optional() }),
);

/** False for a filter of another release. */
export function readsFilterOf({ filter }: Pick<DeliveryJob, 'filter'>): boolean {
  return storedFilter.safeParse(JSON.parse(filter)).success;
}

/** Throws for a filter of another release. */
export function filterOfJob({ filter }: Pick<DeliveryJob, 'filter'>): JobFilter {
  return storedFilter.parse(JSON.parse(filter));
}

/** That of the caller who began it. */
export function scopeOfJob({ bot_ids: ids }: Pick<DeliveryJob, 'bot_ids'>): Scope {
  return ids === null ? EVERYTHING : within(EVERYTHING, JSON.parse(ids) as number[]);
}

/** SQL of `delivery_jobs`. */
export function deliveryJobStore(db: Database) {
  return {
    add: (row: NewJob): Promise<DeliveryJob> =>
      db.insertInto('delivery_jobs').values(row).returningAll().executeTakeFirstOrThrow(),
    find: (id: number): Promise<DeliveryJob | undefined> =>
      db.selectFrom('delivery_jobs').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Waits for the batch of another process, so that no two batches of a job run at once. */
    lock: (id: number): Promise<DeliveryJob> =>
      db.selectFrom('delivery_jobs').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow(),
    change: (id: number, changes: Partial<DeliveryJob>): Promise<DeliveryJob> =>
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
