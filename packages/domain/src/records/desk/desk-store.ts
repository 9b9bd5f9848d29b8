import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { accountSees } from '../../people/accounts/seen-bots.ts';
import type { Conversation } from '../chats/conversation.ts';

/** The row of a conversation. */
function rowOf({ bot_id, chat_id, business_connection_id: of }: Conversation) {
  if (of !== '') {
    const isIt = sql`bot_id = ${bot_id} and chat_id = ${chat_id} and business_connection_id = ${of}`;
    return { table: sql`business_chats`, isIt };
  }
  return { table: sql`chats`, isIt: sql`bot_id = ${bot_id} and id = ${chat_id} and direct is distinct from false` };
}

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
        where ${accountSees(sql`${botId}::bigint`)}
        order by coalesce(nullif(a.display_name, ''), a.username), a.id`.execute(db);
      return rows;
    },

    /** Locks the conversation. null: there is none. */
    async lock(conversation: Conversation): Promise<Before | null> {
      const { table, isIt } = rowOf(conversation);
      const { rows } = await sql<Before>`select assigned_to from ${table} where ${isIt} for update`.execute(db);
      return rows[0] ?? null;
    },

    async assign(conversation: Conversation, accountId: number | null): Promise<void> {
      const { table, isIt } = rowOf(conversation);
      await sql`update ${table} set assigned_to = ${accountId} where ${isIt}`.execute(db);
    },

    /** Done up to the newest message of a person, or open. */
    async close(conversation: Conversation, isDone: boolean): Promise<void> {
      const { table, isIt } = rowOf(conversation);
      const upTo = isDone ? sql`coalesce(last_incoming_date, 0)` : sql`null`;
      const upToId = isDone ? sql`coalesce(last_incoming_id, 0)` : sql`null`;
      await sql`update ${table} set done_date = ${upTo}, done_id = ${upToId} where ${isIt}`.execute(db);
    },
  };
}
