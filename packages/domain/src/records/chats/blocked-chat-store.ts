import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { unnestRows } from '../history/unnest-rows.ts';

/** The bot can, or cannot, write there since a date (Unix seconds). */
export type Membership = ChatOfBot & { blocked: boolean; atS: number };

/** SQL of chats where the bot cannot write. A message of the person lifts it, too: history-chat-store.ts. */
export function blockedChatStore(db: Database) {
  return {
    /** Notes that the platform refused a message to the chat. */
    async note({ bot_id, chat_id }: ChatOfBot): Promise<void> {
      await sql`
        update chats set blocked_at = now() where bot_id = ${bot_id} and id = ${chat_id} and blocked_at is null`.execute(
        db,
      );
    },

    /** Takes over what the platform says of the bot's membership. A refusal that came later stays. */
    async take(memberships: Membership[]): Promise<void> {
      const given = await unnestRows(memberships, [
        ['bigint', ({ bot_id }) => bot_id],
        ['bigint', ({ chat_id }) => chat_id],
        ['boolean', ({ blocked }) => blocked],
        ['bigint', ({ atS }) => atS],
      ]);
      await sql`
        update chats c set blocked_at = case when m.blocked then to_timestamp(m.at) end
        from ${given} as m (bot_id, id, blocked, at)
        where c.bot_id = m.bot_id and c.id = m.id
          and case when m.blocked then c.blocked_at is null else c.blocked_at < to_timestamp(m.at + 1) end`.execute(db);
    },
  };
}

const NEVER_AGAIN = /blocked by the user|user is deactivated|can't initiate conversation/;
const NOT_THERE = /bot was kicked|bot is not a (member|participant)|chat was deleted/;

/**
 * True if the platform's refusal says that the bot cannot write in the chat of the call. If the call copies from another chat, the
 * bot may be missing there; if it writes for a business account, the person may have blocked that account, and not the bot.
 */
export function isBlockedChat(
  { code, description }: { code: number; description: string },
  params: Readonly<Record<string, unknown>>,
): boolean {
  if (code !== 403 || params.business_connection_id !== undefined) return false;
  return NEVER_AGAIN.test(description) || (params.from_chat_id === undefined && NOT_THERE.test(description));
}
