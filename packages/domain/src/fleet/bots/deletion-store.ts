import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { DeletionsTable } from '@flotilla/database/upkeep-tables.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';

export type Deletion = Selectable<DeletionsTable>;

/** SQL of `deletions`: bots and chats that no reader sees any more and whose rows are still to be removed. */
export function deletionStore(db: Database) {
  return {
    async addBot(bot_id: number): Promise<void> {
      await db.insertInto('deletions').values({ bot_id }).execute();
    },

    /** Messages of the chat dated before `beforeDate` (Unix seconds) are not shown from now on. */
    async addChat(chat: ChatOfBot, before_date: number): Promise<void> {
      const row = { bot_id: chat.bot_id, chat_id: chat.chat_id, before_date };
      await db.insertInto('deletions').values(row).execute();
    },

    /** The oldest deletion whose id is not in `except`. */
    next(except: number[]): Promise<Deletion | undefined> {
      const deletions = db.selectFrom('deletions').selectAll().orderBy('id').limit(1);
      return (except.length === 0 ? deletions : deletions.where('id', 'not in', except)).executeTakeFirst();
    },

    async finish(id: number): Promise<void> {
      await db.deleteFrom('deletions').where('id', '=', id).execute();
    },

    /** Waits for transactions that write rows of the bot and blocks new ones. Returns false when the bot is gone. */
    async lockBot(botId: number): Promise<boolean> {
      const bots = db.selectFrom('bots').select('id').where('id', '=', botId).forUpdate();
      return (await bots.executeTakeFirst()) !== undefined;
    },
  };
}

/** The date (Unix seconds) from which a chat's messages are shown, as SQL. Statements that read messages need it. */
export function shownSince(chat: {
  bot_id: number | RawBuilder<unknown>;
  chat_id: number | RawBuilder<unknown>;
}): RawBuilder<number> {
  return sql<number>`coalesce((
    select max(d.before_date) from deletions d
    where d.bot_id = ${chat.bot_id} and d.chat_id = ${chat.chat_id}), -9223372036854775808)`;
}
