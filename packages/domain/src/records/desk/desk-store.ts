import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

type ChatOfBot = { botId: number; chatId: number };
/** How a chat stood, for the audit log. */
type Before = { assigned_to: number | null };

/** An account that has a bot. */
export type Assignee = { id: number; username: string; display_name: string };

/** SQL of how people work with chats. */
export function deskStore(db: Database) {
  return {
    /** The accounts that have the bot, by their names. */
    async assignees(botId: number): Promise<Assignee[]> {
      const { rows } = await sql<Assignee>`
        select a.id, a.username, a.display_name from accounts a
        where a.role = 'admin' or a.all_bots
          or exists (select from account_bots b where b.account_id = a.id and b.bot_id = ${botId})
        order by coalesce(nullif(a.display_name, ''), a.username), a.id`.execute(db);
      return rows;
    },

    /** Locks the chat. null: there is none. */
    async lock({ botId, chatId }: ChatOfBot): Promise<Before | null> {
      const chat = db.selectFrom('chats').select('assigned_to').where('bot_id', '=', botId).where('id', '=', chatId);
      return (await chat.forUpdate().executeTakeFirst()) ?? null;
    },

    async assign({ botId, chatId }: ChatOfBot, accountId: number | null): Promise<void> {
      const chat = db.updateTable('chats').set({ assigned_to: accountId });
      await chat.where('bot_id', '=', botId).where('id', '=', chatId).execute();
    },

    /** Done up to the newest message of a person, or open. */
    async close({ botId, chatId }: ChatOfBot, isDone: boolean): Promise<void> {
      const upTo = isDone ? sql`coalesce(last_incoming_date, 0)` : sql`null`;
      const upToId = isDone ? sql`coalesce(last_incoming_id, 0)` : sql`null`;
      await sql`
        update chats set done_date = ${upTo}, done_id = ${upToId}
        where bot_id = ${botId} and id = ${chatId}`.execute(db);
    },
  };
}
