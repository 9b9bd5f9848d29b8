import { fateOf } from '@flotilla/telegram/call-fate.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { CapturedCall } from '../../records/history/stream/captured-call.ts';

/** The result of one send. */
export type SendOutcome =
  | { outcome: 'sent'; links: { sourceId: number; targetId: number }[]; call: CapturedCall }
  /** The platform will never accept it. */
  | { outcome: 'refused'; reason: string; status: number }
  /** The chat has another id now. */
  | { outcome: 'moved'; chatId: number }
  /** Try again. `neverSent` is false when nobody knows if the platform sent it. */
  | { outcome: 'retry'; reason: string; status: number | null; retryAfterS?: number; neverSent: boolean };

/** Reads the answer to a send that was made of the messages `sourceIds`. */
export function readSendOutcome(
  answer: PlatformAnswer,
  sent: { method: string; params: Fields; sourceIds: number[] },
): SendOutcome {
  switch (answer.outcome) {
    case 'ok':
      return {
        outcome: 'sent',
        links: linksOf(answer.result, sent.sourceIds),
        call: capturedCall(sent, answer.result),
      };
    case 'refused':
      return readRefusal(answer);
    case 'unreachable':
      return { outcome: 'retry', reason: answer.reason, status: null, neverSent: fateOf(answer) === 'undone' };
    case 'garbage':
      if (fateOf(answer) === 'refused') return { outcome: 'refused', reason: answer.reason, status: answer.status };
      return { outcome: 'retry', reason: answer.reason, status: answer.status, neverSent: fateOf(answer) === 'undone' };
  }
}

/** Tells a final refusal from one that another try may end. */
function readRefusal(answer: Extract<PlatformAnswer, { outcome: 'refused' }>): SendOutcome {
  const { errorCode: status, description: reason, retryAfterS, migrateToChatId } = answer;
  if (migrateToChatId !== undefined) return { outcome: 'moved', chatId: migrateToChatId };
  if (fateOf(answer) === 'refused') return { outcome: 'refused', reason, status };
  return { outcome: 'retry', reason, status, neverSent: true, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
}

function linksOf(result: unknown, sourceIds: number[]) {
  const sent = (Array.isArray(result) ? result : [result]) as { message_id?: unknown }[];
  // The answer leaves out messages that could not be copied, and does not say which ones.
  const certain = sent.length === sourceIds.length;
  return sent.flatMap(({ message_id: targetId }, at) => {
    const sourceId = certain ? sourceIds[at] : sourceIds[0];
    return typeof targetId === 'number' && sourceId !== undefined ? [{ sourceId, targetId }] : [];
  });
}

function capturedCall({ method, params }: { method: string; params: Fields }, result: unknown): CapturedCall {
  // The history reads parameters only of methods that answer with ids; other answers contain the whole message.
  const named = /^(copy|forwardMessages)/.test(method) ? Object.entries(params) : [];
  const texts = named.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  return {
    method: method.toLowerCase(),
    params: Object.fromEntries(texts),
    result: JSON.stringify(result),
    paced: true,
  };
}
