import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

/** A message as one bot sees it. */
export type SeenMessage = {
  botId: number;
  chatId: number;
  messageId: number;
  /** '' outside a business connection. */
  businessConnectionId: string;
};

/** A routed message and its source. No rule: it answers a routed message. */
export type RouteLink = { source: SeenMessage; target: SeenMessage; ruleId?: number };

/** How long a reply is sent back to the source. */
export const LINK_LIFE_MS = 30 * 86_400_000;

/** Stores links between routed messages and their sources, except those of deleted bots; known links are skipped. */
export async function insertRouteLinks(db: Database, entries: { link: RouteLink; atMs: number }[]): Promise<void> {
  const rows = entries.map(({ link: { source, target, ruleId = null }, atMs }) => ({
    target_bot_id: target.botId,
    target_chat_id: target.chatId,
    target_message_id: target.messageId,
    target_business_connection_id: target.businessConnectionId,
    source_bot_id: source.botId,
    source_chat_id: source.chatId,
    source_message_id: source.messageId,
    source_business_connection_id: source.businessConnectionId,
    route_id: ruleId,
    expires_at: new Date(atMs + LINK_LIFE_MS).toISOString(),
  }));
  await sql`
    insert into route_links (target_bot_id, target_chat_id, target_message_id, target_business_connection_id,
      source_bot_id, source_chat_id, source_message_id, source_business_connection_id, route_id, expires_at)
    select l.target_bot_id, l.target_chat_id, l.target_message_id, l.target_business_connection_id,
      l.source_bot_id, l.source_chat_id, l.source_message_id, l.source_business_connection_id, l.route_id, l.expires_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as l (
      target_bot_id bigint, target_chat_id bigint, target_message_id bigint, target_business_connection_id text,
      source_bot_id bigint, source_chat_id bigint, source_message_id bigint, source_business_connection_id text,
      route_id bigint, expires_at timestamptz)
    where exists (select from bots where id = l.target_bot_id) and exists (select from bots where id = l.source_bot_id)
    on conflict do nothing`.execute(db);
}
