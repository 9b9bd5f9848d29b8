import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { guessChatType } from '@flotilla/telegram/message-facts.ts';
import { historyChatStore } from '../history/history-chat-store.ts';
import { lockBots } from '../history/lock-bots.ts';

/**
 * Makes sure that the bot has a row for this chat, of which only the id is known. An existing row is not changed.
 * Throws 'not_found' when the bot is gone.
 */
export async function trackChat(db: Database, chat: ChatOfBot): Promise<void> {
  if (!(await lockBots(db, [chat.bot_id])).has(chat.bot_id)) throw new FlotillaError('not_found', 'Bot not found');
  const unnamed = { title: null, username: null, first_name: null, last_name: null };
  const row = {
    bot_id: chat.bot_id,
    id: chat.chat_id,
    type: guessChatType(chat.chat_id),
    ...unnamed,
    direct: null,
    added: 0,
    last_id: 0,
    newest: null,
  };
  await historyChatStore(db).upsertGuessedChats([row]);
}
