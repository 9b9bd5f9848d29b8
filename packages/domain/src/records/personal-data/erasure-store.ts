import type { Database } from '@flotilla/database/connect.ts';
import type { ErasuresTable } from '@flotilla/database/upkeep-tables.ts';
import { type Selectable, sql } from 'kysely';

export type Erasure = Selectable<ErasuresTable> & {
  /** Whatever was on its way when it was asked for has arrived, if the history has. */
  isLate: boolean;
  /** passed_at with its microseconds, which a Date lacks. */
  passedAt: string | null;
};

/** SQL of `erasures`. */
export function erasureStore(db: Database) {
  return {
    /** Null if the person is being erased already. */
    async add(user_id: number, actor: object): Promise<number | null> {
      const added = await db
        .insertInto('erasures')
        .values({ user_id, actor: JSON.stringify(actor) })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return added?.id ?? null;
    },

    async idOf(userId: number): Promise<number | null> {
      const found = db.selectFrom('erasures').select('id').where('user_id', '=', userId);
      return (await found.executeTakeFirst())?.id ?? null;
    },

    /** Those that nobody has looked at yet, or not for `pauseMs`. Looks at one that waits become rarer, up to 60 times so rare. */
    async due(pauseMs: number): Promise<Erasure[]> {
      const pause = sql`make_interval(secs => ${pauseMs / 1000})`;
      const { rows } = await sql<Erasure>`
        select *, created_at <= now() - ${pause} as "isLate", passed_at::text as "passedAt" from erasures
        where passed_at is null
          or passed_at <= now() - greatest(${pause}, least(passed_at - created_at, 60 * ${pause})) order by id`.execute(
        db,
      );
      return rows;
    },

    /** False if another worker has begun the same look. It notes that it goes on; the look of a worker that ends is done at the time of the next one. */
    async claim({ id, passedAt }: Erasure): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update erasures set passed_at = now()
        where id = ${id} and passed_at is not distinct from ${passedAt}::timestamptz`.execute(db);
      return numAffectedRows === 1n;
    },

    async notePass(id: number): Promise<void> {
      await db.updateTable('erasures').set({ passed_at: sql`now()` }).where('id', '=', id).execute();
    },

    /** False if another worker has finished it. */
    async finish(id: number): Promise<boolean> {
      return (await db.deleteFrom('erasures').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },

    async isSendingTo(userId: number): Promise<boolean> {
      const { rows } = await sql`
        select from outbox where bot_id = any (array(select id from bots)) and chat_id = ${userId}
          and state = 'sending' limit 1`.execute(db);
      return rows.length > 0;
    },
  };
}
