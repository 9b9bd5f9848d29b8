import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { deletionStore } from '../../fleet/bots/deletion-store.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { expiredMonthStore } from '../retention/expired-month-store.ts';
import { removalStore } from '../retention/removal-store.ts';

/** Chats with more messages are emptied in the background. */
const REMOVED_AT_ONCE = 5_000;

/**
 * Removes a chat, its people, tags and messages from our records, and what waits to be sent there. Audit entries stay. No reader sees any of it after
 * the return, and a later message starts the chat again. Throws FlotillaError('not_found').
 */
export async function deleteChat(
  deps: { db: Database; clock: Clock },
  by: Actor,
  bot_id: number,
  chat_id: number,
): Promise<void> {
  const chat = { bot_id, chat_id };
  await deps.db.transaction().execute(async (transaction) => {
    const removals = removalStore(transaction);
    // The lock excludes writers of this bot, so only the rows that exist now are deleted.
    if (!(await deletionStore(transaction).lockBot(bot_id))) throw new FlotillaError('not_found', 'Bot not found');
    if (!(await removals.removeChat(chat))) throw new FlotillaError('not_found', 'Chat not found');
    await recordAction({ db: transaction, clock: deps.clock }, by, { action: 'chat_delete', ...chat });
    await removals.removeWaiting(chat);
    const expiredUntil = await expiredMonthStore(transaction).untilDate();
    if (expiredUntil !== null) await deletionStore(transaction).addChat(chat, expiredUntil);
    const size = await removals.sizeUp(chat, REMOVED_AT_ONCE);
    if (size === null) return;
    if (!size.isLarge) return removals.removeMessagesFrom(chat, -Number.MAX_SAFE_INTEGER);
    // Dates are whole seconds. Messages of the newest second are removed now, so that a later one of that second stays.
    await removals.removeMessagesFrom(chat, size.newestDate);
    await deletionStore(transaction).addChat(chat, size.newestDate);
  });
}
