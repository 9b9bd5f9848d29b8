import type { Database } from '@flotilla/database/connect.ts';
import type { DeletionsTable } from '@flotilla/database/tables.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';

export type Deletion = Selectable<DeletionsTable>;

/** SQL of `deletions`: what is gone for every reader and is still to be removed. */
export function deletionStore(db: Database) {
  return {
    async addBot(botId: number): Promise<void> {
      await db.insertInto('deletions').values({ bot_id: botId }).execute();
    },

    /** Messages of the chat dated before `beforeDate` (Unix seconds) are not shown from now on. */
    async addChat(chat: { botId: number; chatId: number }, beforeDate: number): Promise<void> {
      const row = { bot_id: chat.botId, chat_id: chat.chatId, before_date: beforeDate };
      await db.insertInto('deletions').values(row).execute();
    },

    /** The oldest one that is not among these. */
    next(except: number[]): Promise<Deletion | undefined> {
      const deletions = db.selectFrom('deletions').selectAll().orderBy('id').limit(1);
      return (except.length === 0 ? deletions : deletions.where('id', 'not in', except)).executeTakeFirst();
    },

    async finish(id: number): Promise<void> {
      await db.deleteFrom('deletions').where('id', '=', id).execute();
    },

    /** Waits for every transaction that writes rows of the bot and keeps new ones waiting; false when it is gone. */
    async lockBot(botId: number): Promise<boolean> {
      const bots = db.selectFrom('bots').select('id').where('id', '=', botId).forUpdate();
      return (await bots.executeTakeFirst()) !== undefined;
    },
  };
}

/** The date (Unix seconds) from which on a chat's messages are shown, as SQL: for every statement that reads them. */
export function shownSince(chat: { botId: number; chatId: number }): RawBuilder<number> {
  return sql<number>`coalesce((
    select max(d.before_date) from deletions d
    where d.bot_id = ${chat.botId} and d.chat_id = ${chat.chatId}), -9223372036854775808)`;
}
