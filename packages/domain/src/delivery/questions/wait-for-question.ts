import type { Question } from '@flotilla/contract/questions.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { ChannelWaiters } from '@flotilla/redis/channel-waiters.ts';
import { questionStore } from './question-store.ts';

/** In case a message of the channel was lost. */
const REREAD_EVERY_MS = 5_000;

/** The question as soon as it is settled, or as it is when the time is up or the signal aborts; null if it is gone. */
export async function waitForQuestion(
  { db, questionWaiters }: { db: Database; questionWaiters: ChannelWaiters },
  { id, bot_id }: Pick<Question, 'id' | 'bot_id'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Question | null> {
  const untilMs = performance.now() + timeoutMs;
  const store = questionStore(db);
  const waiter = questionWaiters.listen(bot_id);
  try {
    while (true) {
      const question = await store.find(id);
      const leftMs = untilMs - performance.now();
      if (question?.state !== 'open' || leftMs <= 0 || signal.aborted) return question;
      await waiter.wait(Math.min(leftMs, REREAD_EVERY_MS), signal);
    }
  } finally {
    waiter.stop();
  }
}
