import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { isMessage } from '@flotilla/telegram/message-facts.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { type MessageOrigin, messageEffects } from './effects/message-effects.ts';
import { lockBots } from './lock-bots.ts';
import { MESSAGE_COLUMNS, type MessageRow } from './message-row.ts';
import { writeEffects } from './write-batch.ts';

/** An act on a message, with its time (Unix ms) and its actor. Of entries with the same key, the audit log keeps one. */
export interface MessageAction {
  action: 'send' | 'edit';
  /** The parameter of the call. */
  reply_markup?: unknown;
  by: Actor;
  auditKey: string;
  atMs: number;
}

/**
 * Stores the Message that the platform answered to a send or an edit, at once and with its audit entry, and returns its
 * row. To store it again under the same key, here or by the history writer, changes nothing. Throws not_found when the
 * bot is gone, bad_request when `message` is no Message.
 */
export async function storeOwnMessage(
  db: Database,
  { action, reply_markup, by, auditKey, atMs }: MessageAction,
  bot_id: number,
  message: unknown,
): Promise<MessageRow> {
  if (!isMessage(message)) throw new FlotillaError('bad_request', 'The answer of the platform contains no message');
  return db.transaction().execute(async (transaction) => {
    const bot = (await lockBots(transaction, [bot_id])).get(bot_id);
    if (bot === undefined) throw new FlotillaError('not_found', 'Bot not found');
    const effects = messageEffects(bot, message, { ...originOf(action, atMs), reply_markup });
    await writeEffects(
      transaction,
      effects.map((effect) => ({ bot_id, effect })),
    );
    const stored = effects.find((effect) => effect.type === 'message');
    if (stored === undefined) throw new FlotillaError('internal', 'Postgres returned no row of the message');
    const { business_connection_id, chat_id, id } = stored.message;
    const done = { action, bot_id, chat_id, business_connection_id, target: { kind: 'message', id } } as const;
    await recordAction({ db: transaction, clock: { nowMs: () => atMs } }, by, done, auditKey);
    return transaction
      .selectFrom('messages')
      .select(MESSAGE_COLUMNS)
      .where((row) => row.and({ bot_id, business_connection_id, chat_id, id }))
      .executeTakeFirstOrThrow();
  });
}

/** The origin of a message that the platform answered to a send or an edit. */
export function originOf(action: MessageAction['action'], atMs: number): MessageOrigin {
  return action === 'send' ? { sent: true, editedAtS: null } : { sent: false, editedAtS: Math.floor(atMs / 1000) };
}
