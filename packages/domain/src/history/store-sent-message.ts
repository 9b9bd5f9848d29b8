import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { isMessage } from '@flotilla/telegram/message-facts.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import { messageEffects } from './effects/message-effects.ts';
import { lockBots } from './lock-bots.ts';
import { MESSAGE_COLUMNS, type MessageRow } from './message-row.ts';
import { writeEffects } from './write-batch.ts';

/**
 * Stores the Message that the platform answered to a send, at once and with its audit entry, and returns its row. To
 * store it again under the same key, here or by the history writer, changes nothing. Throws not_found when the bot is
 * gone, bad_request when `message` is no Message.
 */
export async function storeSentMessage(
  deps: { db: Database; clock: Clock },
  sent: { by: Actor; auditKey: string },
  botId: number,
  message: unknown,
): Promise<MessageRow> {
  if (!isMessage(message)) throw new FlotillaError('bad_request', 'The platform answered no message');
  return deps.db.transaction().execute(async (transaction) => {
    const bot = (await lockBots(transaction, [botId])).get(botId);
    if (bot === undefined) throw new FlotillaError('not_found', 'Bot not found');
    const effects = messageEffects(bot, message, { sent: true, editedAtS: null });
    await writeEffects(
      transaction,
      effects.map((effect) => ({ botId, effect })),
    );
    const stored = effects.find((effect) => effect.type === 'message');
    if (stored === undefined) throw new FlotillaError('internal', 'A message left no row');
    const { business_connection_id, chat_id, id } = stored.message;
    const done = { action: 'send', botId, chatId: chat_id, target: { kind: 'message', id } } as const;
    await recordAction({ db: transaction, clock: deps.clock }, sent.by, done, sent.auditKey);
    return transaction
      .selectFrom('messages')
      .select(MESSAGE_COLUMNS)
      .where((row) => row.and({ bot_id: botId, business_connection_id, chat_id, id }))
      .executeTakeFirstOrThrow();
  });
}
