import { deletionStore } from '../retention/deletion-store.ts';
import { type StepDeps, takeSteps } from '../retention/take-steps.ts';
import { authorCountStore, type MessageCursor } from './author-count-store.ts';
import type { ChatOfBot } from './stats-store.ts';

const CHATS_A_STEP = 500;
const MESSAGES_A_STATEMENT = 250_000;

/**
 * Counts the authors of chats that are older than the counting, a chat a step; the triggers of `messages` keep the
 * counts from then on. Returns 'done' when no such chat is left, which stays so.
 */
export async function countAuthors(deps: StepDeps): Promise<'done' | 'elsewhere' | 'aborted'> {
  const uncounted: ChatOfBot[] = [];
  let last: ChatOfBot | null = null;
  return takeSteps(deps, async (transaction) => {
    const store = authorCountStore(transaction);
    const chat = uncounted.shift();
    if (chat === undefined) {
      const chats = await store.chatsAfter(last, CHATS_A_STEP);
      last = chats.at(-1) ?? null;
      uncounted.push(...chats.filter((found) => !found.counted));
      return last === null ? 'done' : 'more';
    }
    // Keeps the bot's writers waiting, so that no message is counted twice or left out.
    await deletionStore(transaction).lockBot(chat.botId);
    await store.forget(chat);
    let from: MessageCursor | null = null;
    do {
      from = await store.countMessages(chat, from, MESSAGES_A_STATEMENT);
    } while (from !== null);
    await store.markCounted(chat);
    return 'more';
  });
}
