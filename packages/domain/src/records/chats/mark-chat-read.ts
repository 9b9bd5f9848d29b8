import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { sql } from 'kysely';
import { findMessagePosition } from '../history/find-message-position.ts';
import { lockBots } from '../history/lock-bots.ts';
import { lastMessageAt } from '../history/message-place.ts';
import type { Conversation } from './conversation.ts';

/**
 * Notes that an account has read a conversation up to a message; a marker never goes back. Throws 'not_found' if the bot has no
 * such message. Returns whether the marker moved.
 */
export async function markChatRead(
  db: Database,
  accountId: number,
  { bot_id, chat_id, business_connection_id, message_id }: Conversation & { message_id: number },
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // With the lock, a bot or chat that is being deleted keeps no marker.
    if (!(await lockBots(transaction, [bot_id])).has(bot_id)) throw new FlotillaError('not_found', 'Bot not found');
    const position = await findMessagePosition(transaction, { bot_id, chat_id }, message_id, business_connection_id);
    if (position === null) throw new FlotillaError('not_found', 'Message not found');
    const [date, place] = position;
    const of = business_connection_id;
    const [table, key, value] =
      of === ''
        ? [sql`chat_reads`, sql``, sql``]
        : [sql`business_chat_reads`, sql`, business_connection_id`, sql`, ${of}`];
    const { rows } = await sql`
      insert into ${table} as r (bot_id, chat_id, account_id, message_id, message_date${key})
      values (${bot_id}, ${chat_id}, ${accountId}, ${lastMessageAt(place)}, ${date}${value})
      on conflict (account_id, bot_id, chat_id${key}) do update set
        message_id = excluded.message_id, message_date = excluded.message_date
      where (excluded.message_date, excluded.message_id) > (r.message_date, r.message_id)
      returning message_id`.execute(transaction);
    return rows.length > 0;
  });
}
