import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import type { SeenMessage } from '../../records/history/route-links.ts';

type LinkedMessage = { bot_id: number; chat_id: number; message_id: number; business_connection_id: string };

/** A message of a chat, and one that was made from it. */
export type RoutedMessage = {
  id: number;
  business_connection_id: string;
  /** null: it answered a routed message, and no rule was needed. */
  route_id: number | null;
  /** The name of the rule for people: its description, or else its condition. null: nothing, or it was deleted. */
  route_name: string | null;
  target_bot_id: number;
  target_chat_id: number;
  target_message_id: number;
};

/** SQL of the links between routed messages and their sources. */
export function routeLinkStore(db: Database) {
  return {
    /** The source of a routed message, where replies to it go; null for other messages. */
    async sourceOf(seen: SeenMessage): Promise<SeenMessage | null> {
      const { rows } = await sql<LinkedMessage>`
        select source_bot_id as bot_id, source_chat_id as chat_id, source_message_id as message_id,
          source_business_connection_id as business_connection_id
        from route_links
        where target_bot_id = ${seen.botId} and target_chat_id = ${seen.chatId}
          and target_message_id = ${seen.messageId}
          and target_business_connection_id = ${seen.businessConnectionId} and expires_at > now()`.execute(db);
      return rows[0] === undefined ? null : toSeenMessage(rows[0]);
    },

    /** The messages that were made from this one. */
    async targetsOf(seen: SeenMessage): Promise<SeenMessage[]> {
      const { rows } = await sql<LinkedMessage>`
        select target_bot_id as bot_id, target_chat_id as chat_id, target_message_id as message_id,
          target_business_connection_id as business_connection_id
        from route_links
        where source_bot_id = ${seen.botId} and source_chat_id = ${seen.chatId}
          and source_message_id = ${seen.messageId}
          and source_business_connection_id = ${seen.businessConnectionId} and expires_at > now()
        order by target_bot_id, target_chat_id, target_message_id`.execute(db);
      return rows.map(toSeenMessage);
    },

    /** Where these messages of a chat went, and by which rule, in the order of the rules. */
    async listRouted(chat: ChatOfBot, messageIds: readonly number[]): Promise<RoutedMessage[]> {
      if (messageIds.length === 0) return [];
      const { rows } = await sql<RoutedMessage>`
        select l.source_message_id as id, l.source_business_connection_id as business_connection_id, l.route_id,
          coalesce(nullif(r.description, ''), nullif(r.condition_value, '')) as route_name,
          l.target_bot_id, l.target_chat_id, l.target_message_id
        from route_links l left join routes r on r.id = l.route_id
        where l.source_bot_id = ${chat.bot_id} and l.source_chat_id = ${chat.chat_id}
          and l.source_message_id = any (${messageIds}::bigint[]) and l.expires_at > now()
        order by coalesce(r.position, l.route_id), l.target_message_id`.execute(db);
      return rows;
    },

    /** Deletes up to `limit` links that have expired; returns how many. */
    async removeExpired(limit: number): Promise<number> {
      const { numAffectedRows } = await sql`
        delete from route_links where ctid in (
          select ctid from route_links where expires_at <= now() order by expires_at limit ${limit})`.execute(db);
      return Number(numAffectedRows ?? 0n);
    },
  };
}

function toSeenMessage(row: LinkedMessage): SeenMessage {
  return {
    botId: row.bot_id,
    chatId: row.chat_id,
    messageId: row.message_id,
    businessConnectionId: row.business_connection_id,
  };
}
