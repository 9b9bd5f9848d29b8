import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { LAST_PERIOD_BITS, takeNewer } from './history-chat-store.ts';
import type { WrittenToChat } from './history-message-store.ts';
import { unnestRows } from './unnest-rows.ts';

const NEWEST = sql`last_date, last_incoming_date, last_incoming_id, last_answer_date, last_answer_id`;
const TAKE_NEWEST = sql`
  last_period = greatest(business_chats.last_period, excluded.last_period),
  last_date = greatest(business_chats.last_date, excluded.last_date),
  ${takeNewer('business_chats', 'last_incoming')}, ${takeNewer('business_chats', 'last_answer')}`;

/** SQL of the conversations of business connections. A trigger of `messages` makes them, and counts their messages. */
export function businessChatStore(db: Database) {
  return {
    /** Notes which messages are the newest ones. The trigger has locked the rows of new ones, in this order. */
    async takeNewest(written: readonly WrittenToChat[]): Promise<void> {
      const given = await unnestRows(
        [...written],
        [
          ['bigint', (chat) => chat.bot_id],
          ['bigint', (chat) => chat.chat_id],
          ['text', (chat) => chat.business_connection_id],
          ['bigint', (chat) => chat.last_date],
          ['bigint', (chat) => chat.last_incoming_date],
          ['bigint', (chat) => chat.last_incoming_id],
          ['bigint', (chat) => chat.last_answer_date],
          ['bigint', (chat) => chat.last_answer_id],
        ],
      );
      await sql`
        insert into business_chats (bot_id, chat_id, business_connection_id, ${NEWEST}, last_period)
        select c.*, c.last_date >> ${sql.lit(LAST_PERIOD_BITS)}
        from ${given} as c (bot_id, chat_id, business_connection_id, ${NEWEST})
        order by bot_id, chat_id, business_connection_id
        on conflict (bot_id, chat_id, business_connection_id) do update set ${TAKE_NEWEST}`.execute(db);
    },
  };
}
