import type { Database } from '@flotilla/database/connect.ts';
import type { FoldedMessage } from '@flotilla/domain/records/history/effects/history-fold.ts';
import { historyChatStore } from '@flotilla/domain/records/history/history-chat-store.ts';
import { historyMessageStore } from '@flotilla/domain/records/history/history-message-store.ts';
import { lockBots } from '@flotilla/domain/records/history/lock-bots.ts';

export type StoredMessage = Pick<FoldedMessage, 'chat_id' | 'id' | 'date' | 'text'> & Partial<FoldedMessage>;

const REST = {
  ...{ user_id: 77, username: 'ada', first_name: 'Ada', last_name: null },
  ...{ media_type: null, file_id: null, service: null, details: null, program_id: null, automatic: null },
  ...{ reply_to_message_id: null, edit_date: null, outgoing: false, business_connection_id: '' },
};

/** Stores messages of one bot as the history writer does, with counts and search data. */
export async function storeMessages(db: Database, botId: number, messages: StoredMessage[]): Promise<void> {
  const rows = messages.map((message) => ({ ...REST, ...message, bot_id: botId }));
  await db.transaction().execute(async (transaction) => {
    await lockBots(transaction, [botId]);
    const added = await historyMessageStore(transaction).upsertMessages(rows);
    const unnamed = { type: 'supergroup', title: null, username: null, firstName: null, lastName: null };
    const chats = added.map((newest) => ({ ...unnamed, botId, id: newest.chatId, added: newest.count, newest }));
    if (chats.length > 0) await historyChatStore(transaction).upsertGuessedChats(chats);
  });
}
