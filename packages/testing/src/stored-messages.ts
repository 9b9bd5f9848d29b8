import type { Database } from '@flotilla/database/connect.ts';
import type { FoldedMessage } from '@flotilla/domain/history/history-fold.ts';
import { historyStore } from '@flotilla/domain/history/history-store.ts';

export type StoredMessage = Pick<FoldedMessage, 'id' | 'date' | 'text'> & Partial<FoldedMessage>;

/** Puts messages of one chat where the history writer would put them, counted and searchable. */
export async function storeMessages(
  db: Database,
  chat: { botId: number; chatId: number },
  messages: StoredMessage[],
): Promise<void> {
  const empty = { user_id: 77, username: 'ada', first_name: 'Ada', last_name: null, media_type: null, file_id: null };
  const rows = messages.map((message) => ({
    ...{ ...empty, reply_to_message_id: null, edit_date: null, outgoing: false, business_connection_id: '' },
    ...message,
    bot_id: chat.botId,
    chat_id: chat.chatId,
  }));
  await db.transaction().execute(async (transaction) => {
    const store = historyStore(transaction);
    await store.lockBots([chat.botId]);
    const added = (await store.upsertMessages(rows)).reduce((sum, { count }) => sum + count, 0);
    const unnamed = { title: null, username: null, firstName: null, lastName: null };
    await store.upsertGuessedChats([{ botId: chat.botId, id: chat.chatId, type: 'supergroup', ...unnamed, added }]);
  });
}
