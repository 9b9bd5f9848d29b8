import type { Database } from '@flotilla/database/connect.ts';
import type { BotsTable } from '@flotilla/database/tables.ts';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';

export type BotRow = Selectable<BotsTable>;
type NewBot = Omit<Insertable<BotsTable>, 'revision'>;
type ChangedBot = Omit<Updateable<BotsTable>, 'revision' | 'id' | 'generation'>;

const nextRevision = sql<number>`nextval('bot_revisions')`;

/** SQL of the `bots` table. Every change draws a new revision. */
export function botStore(db: Database) {
  return {
    all: (): Promise<BotRow[]> => db.selectFrom('bots').selectAll().orderBy('id').execute(),
    byId: (id: number): Promise<BotRow | undefined> =>
      db.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirst(),
    insert: (bot: NewBot): Promise<BotRow | undefined> =>
      db
        .insertInto('bots')
        .values({ ...bot, revision: nextRevision })
        .onConflict((conflict) => conflict.column('token_hash').doNothing())
        .returningAll()
        .executeTakeFirst(),
    update: (id: number, changes: ChangedBot): Promise<BotRow | undefined> =>
      db
        .updateTable('bots')
        .set({ ...changes, revision: nextRevision })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst(),
    remove: async (id: number): Promise<boolean> => {
      const gone = await db.deleteFrom('bots').where('id', '=', id).executeTakeFirst();
      return gone.numDeletedRows > 0n;
    },
  };
}
