import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { BegunEntry, Settlement } from './turn-store.ts';

/** What is stored of an attempt, beside whose it is. */
export type Outcome = Settlement extends infer One
  ? One extends Settlement
    ? Omit<One, 'id' | 'botId' | 'claim'>
    : never
  : never;

/** About twenty minutes, with the growing pauses. */
const MOST_ATTEMPTS = 25;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const LARGEST_RESULT = 65_536;
/** JSON that Postgres cannot keep. */
const UNSTORABLE = /\\u0000|\\ud[89a-f]/i;

/**
 * What the platform's answer to an attempt means. Tried again is only what the platform certainly did not send: it said so, or the
 * call never reached it.
 */
export function readOutcome(entry: BegunEntry, answer: PlatformAnswer): Outcome {
  switch (answer.outcome) {
    case 'ok':
      return { event: 'sent', messageId: messageIdOf(answer.result), result: storableResult(answer.result) };
    case 'refused':
      return readRefusal(entry, answer);
    case 'unreachable':
      if (answer.neverSent) return tryAgain(entry, { errorCode: null, error: answer.reason });
      return { event: 'doubt', error: `No answer: ${answer.reason}` };
    case 'garbage':
      return { event: 'doubt', error: `No readable answer: ${answer.reason}` };
  }
}

function readRefusal(entry: BegunEntry, answer: Extract<PlatformAnswer, { outcome: 'refused' }>): Outcome {
  const { errorCode, description: error, retryAfterS = 0, migrateToChatId } = answer;
  const again = { event: 'again', errorCode, error, chatId: entry.chatId, wasSent: true } as const;
  if (migrateToChatId !== undefined && migrateToChatId !== entry.chatId) {
    return { ...again, chatId: migrateToChatId, afterMs: 0 };
  }
  if (errorCode === 429) return { ...again, afterMs: Math.max(retryAfterS, 1) * 1000 };
  // An admin can replace a revoked token.
  if (errorCode >= 500 || errorCode === 401) return tryAgain(entry, { errorCode, error });
  return { event: 'fail', errorCode, error };
}

/** With pauses that grow; after many attempts it fails. */
function tryAgain(entry: BegunEntry, why: { errorCode: number | null; error: string }): Outcome {
  if (entry.attempts >= MOST_ATTEMPTS) return { event: 'fail', ...why };
  const afterMs = Math.min(FIRST_PAUSE_MS * 2 ** (entry.attempts - 1), LONGEST_PAUSE_MS);
  return { event: 'again', ...why, afterMs, chatId: entry.chatId, wasSent: true };
}

function messageIdOf(result: unknown): number | null {
  const first: unknown = Array.isArray(result) ? result[0] : result;
  const id = typeof first === 'object' && first !== null ? (first as { message_id?: unknown }).message_id : null;
  return Number.isSafeInteger(id) ? (id as number) : null;
}

function storableResult(result: unknown): string | null {
  const text = JSON.stringify(result);
  return text.length > LARGEST_RESULT || UNSTORABLE.test(text) ? null : text;
}
