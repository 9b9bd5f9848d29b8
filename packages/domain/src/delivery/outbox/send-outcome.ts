import { fateOf } from '@flotilla/telegram/call-fate.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { Settlement } from './settlement-store.ts';
import type { BegunEntry } from './turn-store.ts';

/** The stored result of an attempt, beside whose it is. */
export type Outcome = Settlement extends infer One
  ? One extends Settlement
    ? Omit<One, 'id' | 'bot_id' | 'claim'>
    : never
  : never;

/** About twenty minutes, with the growing pauses. */
const MOST_ATTEMPTS = 25;
const [UNAUTHORIZED, TOO_MANY_REQUESTS] = [401, 429];
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const LARGEST_RESULT = 65_536;
/** JSON that Postgres cannot keep. */
const UNSTORABLE = /\\u0000|\\ud[89a-f]/i;

/** The meaning of the answer to an attempt: `fateOf` judges, the words say why. */
export function readOutcome(entry: BegunEntry, answer: PlatformAnswer): Outcome {
  if (answer.outcome === 'ok') {
    return { event: 'sent', message_id: messageIdOf(answer.result), result: storableResult(answer.result) };
  }
  const why = whyOf(answer);
  switch (fateOf(answer)) {
    case 'done':
    case 'doubt':
      return { event: 'doubt', error: `No answer of the platform: ${why.error}` };
    case 'refused': {
      const movedTo = answer.outcome === 'refused' ? answer.migrateToChatId : undefined;
      if (movedTo === undefined || movedTo === entry.chat_id) return { event: 'fail', ...why };
      return { event: 'again', ...why, afterMs: 0, chat_id: movedTo, counts: true };
    }
    case 'undone':
      return tryAgain(entry, answer, why);
  }
}

type Why = { error_code: number | null; error: string };
type Failed = Exclude<PlatformAnswer, { outcome: 'ok' }>;

function whyOf(answer: Failed): Why {
  if (answer.outcome === 'refused') return { error_code: answer.errorCode, error: answer.description };
  const error_code = answer.outcome === 'garbage' && fateOf(answer) === 'refused' ? answer.status : null;
  return { error_code, error: answer.reason };
}

/**
 * A 429 is obeyed, a revoked token can be replaced, and a request that was never made was none: none of them counts as an attempt,
 * so none makes later pauses longer.
 */
function tryAgain(entry: BegunEntry, answer: Failed, why: Why): Outcome {
  const again = { event: 'again', ...why, chat_id: entry.chat_id } as const;
  if (answer.outcome === 'refused' && answer.errorCode === TOO_MANY_REQUESTS) {
    return { ...again, afterMs: Math.max(answer.retryAfterS ?? 0, 1) * 1000, counts: false };
  }
  if (answer.outcome === 'refused' && answer.errorCode === UNAUTHORIZED) {
    return { ...again, afterMs: LONGEST_PAUSE_MS, counts: false };
  }
  if (answer.outcome === 'unreachable') return { ...again, afterMs: 0, counts: false };
  if (entry.attempts >= MOST_ATTEMPTS) return { event: 'fail', ...why };
  return { ...again, afterMs: pauseMs(entry.attempts), counts: true };
}

/** Grows with the attempts that were made. */
function pauseMs(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
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
