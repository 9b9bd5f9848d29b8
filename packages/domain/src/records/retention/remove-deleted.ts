import type { Clock } from '@flotilla/runtime/clock.ts';
import { type Deletion, deletionStore } from '../../fleet/bots/deletion-store.ts';
import { expiredMonthStore } from './expired-month-store.ts';
import { type DateCursor, type KeyCursor, removalStore } from './removal-store.ts';
import { STEP_ROWS, type StepDeps, takeSteps } from './take-steps.ts';

/** A request that was running when the bot was deleted may still write rows for this long. */
const LATE_ROWS_MS = 60_000;

type Progress = { deletionId: number; ofChat: DateCursor | null; ofBot: KeyCursor | null };

/**
 * Removes the rows of deleted bots and chats in small steps. It continues work that was interrupted here or in another
 * process. Returns 'done' when nothing is left to do now.
 */
export async function removeDeleted(deps: StepDeps & { clock: Clock }): Promise<'done' | 'elsewhere' | 'aborted'> {
  const rows = deps.stepRows ?? STEP_ROWS;
  const waiting: number[] = [];
  let progress: Progress = { deletionId: 0, ofChat: null, ofBot: null };
  return takeSteps(deps, async (transaction) => {
    const deletions = deletionStore(transaction);
    const deletion = await deletions.next(waiting);
    if (deletion === undefined) return 'done';
    if (deletion.id !== progress.deletionId) progress = { deletionId: deletion.id, ofChat: null, ofBot: null };
    const left =
      deletion.chat_id === null
        ? await removeBotRows(removalStore(transaction), deletion.bot_id, progress, rows)
        : await removeChatRows(removalStore(transaction), deletion, progress, rows);
    if (left) return 'more';
    // Of a month that was taken out, the counts of a deleted chat must not be subtracted: its deletion says so until then.
    if (deletion.chat_id !== null && (await expiredMonthStore(transaction).first()) !== null) {
      waiting.push(deletion.id);
      return 'more';
    }
    if (deletion.chat_id !== null) await finishChat(transaction, deletion);
    else if (deps.clock.nowMs() - deletion.created_at.getTime() >= LATE_ROWS_MS) await deletions.finish(deletion.id);
    else waiting.push(deletion.id);
    return 'more';
  });
}

type Store = ReturnType<typeof removalStore>;

async function removeBotRows(store: Store, botId: number, progress: Progress, rows: number): Promise<boolean> {
  const from = progress.ofBot;
  if (from === null && (await store.removeRowsOfBot(botId, rows)) > 0) return true;
  progress.ofBot = (await store.removeMessagesOfBot(botId, from, rows)).last;
  // Only a pass from the beginning that finds nothing proves that no late row exists.
  return progress.ofBot !== null || from !== null;
}

async function removeChatRows(store: Store, deletion: Deletion, progress: Progress, rows: number): Promise<boolean> {
  const from = progress.ofChat;
  const chat = { bot_id: deletion.bot_id, chat_id: deletion.chat_id ?? 0 };
  progress.ofChat = (await store.removeMessagesBefore(chat, deletion.before_date ?? 0, from, rows)).last;
  return progress.ofChat !== null || from !== null;
}

// Late messages from before the deletion were added to the chat's count and then removed, so the count is too high.
async function finishChat(transaction: Parameters<typeof deletionStore>[0], deletion: Deletion): Promise<void> {
  const deletions = deletionStore(transaction);
  if (await deletions.lockBot(deletion.bot_id)) {
    await removalStore(transaction).recount({ bot_id: deletion.bot_id, chat_id: deletion.chat_id ?? 0 });
  }
  await deletions.finish(deletion.id);
}
