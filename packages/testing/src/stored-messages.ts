import type { Database } from '@flotilla/database/connect.ts';
import type { HistoryEffect } from '@flotilla/domain/records/history/effects/history-effect.ts';
import type { FoldedMessage } from '@flotilla/domain/records/history/effects/history-fold.ts';
import { lockBots } from '@flotilla/domain/records/history/lock-bots.ts';
import { writeEffects } from '@flotilla/domain/records/history/write-batch.ts';

export type StoredMessage = Pick<FoldedMessage, 'chat_id' | 'id' | 'date' | 'text'> & Partial<FoldedMessage>;

const REST = {
  ...{ user_id: 77, username: 'ada', first_name: 'Ada', last_name: null },
  ...{ media_type: null, file_id: null, service: null, details: null, program_id: null, automatic: null },
  ...{ reply_to_message_id: null, edit_date: null, outgoing: false, business_connection_id: '' },
};
const UNNAMED = { title: null, username: null, first_name: null, last_name: null };

/** Stores messages of one bot as the history writer does, with counts and search data. */
export async function storeMessages(db: Database, botId: number, messages: StoredMessage[]): Promise<void> {
  const effects = messages.flatMap(({ bot_id, ...given }): HistoryEffect[] => {
    const message = { ...REST, ...given };
    const direct = message.business_connection_id === '';
    const type = direct ? 'supergroup' : 'private';
    const chat = { ...UNNAMED, type, id: message.chat_id };
    return [
      { type: 'chat', chat, guessed: true, direct },
      { type: 'message', message },
    ];
  });
  await db.transaction().execute(async (transaction) => {
    await lockBots(transaction, [botId]);
    await writeEffects(
      transaction,
      effects.map((effect) => ({ bot_id: botId, effect })),
    );
  });
}
