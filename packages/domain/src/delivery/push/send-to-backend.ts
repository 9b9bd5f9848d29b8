import { exchange, type HttpAnswer } from '@flotilla/runtime/http-exchange.ts';
import { isForbiddenError } from '../../fleet/backend-policy/backend-address.ts';
import { type BackendAddress, deliveryIdOf } from './backend.ts';
import type { BackendTarget } from './backend-connections.ts';
import { connectionFault } from './connection-fault.ts';
import { type HeldReply, readAtMost } from './reply-room.ts';

/** The beginning of an answer. `isCut`: the answer is longer. */
export type AnswerStart = { text: string; isCut: boolean };

/** `reply` is empty if `isCut`: the answer is longer than what is read of it. `start`: its beginning, also then. */
export type DeliveredAnswer = {
  outcome: 'delivered';
  status: number;
  contentType: string;
  reply: Buffer;
  isCut: boolean;
  start: AnswerStart;
};

export type Delivery =
  | DeliveredAnswer
  /** The backend did not answer with 2xx. A redirect is refused too, because we do not follow it. */
  | {
      outcome: 'refused';
      status: number;
      reason: string;
      contentType: string;
      start: AnswerStart;
      /** The header, '' without one. */
      retryAfter: string;
      /** Of a header in seconds: the platform hears no date from a webhook. */
      retryAfterS?: number;
    }
  | { outcome: 'failed'; code: 'unreachable' | 'timed_out' | 'forbidden_address' | 'not_signed'; reason: string }
  /** Aborted by us before the backend had answered. */
  | { outcome: 'aborted' };

/** From sending to the last byte of the answer, as at the platform. */
const DELIVERY_DEADLINE_MS = 60_000;
const NOTHING = Buffer.alloc(0);
const START_BYTES = 8 * 1024;

/** POSTs one update to the bot's backend, with the platform's headers. Never throws. */
export async function sendToBackend(
  target: BackendTarget,
  backend: BackendAddress,
  update: { id: number; raw: string; traceparent?: string | null; headers?: Record<string, string> },
  signal: AbortSignal,
  limits: { deadlineMs?: number } & Partial<Pick<HeldReply, 'readAtMost' | 'mayHold'>> = {},
): Promise<Delivery> {
  const { deadlineMs = DELIVERY_DEADLINE_MS } = limits;
  if (target.forbidden) return { outcome: 'failed', code: 'forbidden_address', reason: target.forbidden };
  const deliveryId = { 'Flotilla-Delivery-Id': deliveryIdOf(backend, update.id) };
  const headers: Record<string, string> = { ...target.headers, ...deliveryId, ...update.headers };
  if (update.traceparent) headers.traceparent = update.traceparent;
  const { dispatcher, origin, path } = target;
  const request = { origin, path, method: 'POST', headers, body: update.raw } as const;
  const answer = await exchange(dispatcher, request, { deadlineMs, signal, readAtMost, ...limits });
  switch (answer.outcome) {
    case 'answered':
      return outcomeOf(answer);
    case 'aborted':
      return { outcome: 'aborted' };
    case 'timed_out':
      return { outcome: 'failed', code: 'timed_out', reason: 'Read timeout expired' };
    case 'broken': {
      const { error } = answer;
      const code = isForbiddenError(error) ? 'forbidden_address' : 'unreachable';
      return { outcome: 'failed', code, reason: connectionFault(error, backend) };
    }
  }
}

/** An answer that is too long counts by its status, and as one without a call. */
function outcomeOf({ status, statusText, headers, body, isCut }: HttpAnswer): Delivery {
  const contentType = String(headers['content-type'] ?? '');
  const start = startOf(body, isCut || body.length > START_BYTES);
  if (status >= 200 && status < 300) {
    return { outcome: 'delivered', status, contentType, reply: isCut ? NOTHING : body, isCut, start };
  }
  const retryAfter = String(headers['retry-after'] ?? '');
  return {
    outcome: 'refused',
    status,
    reason: `Wrong response from the webhook: ${status} ${statusText}`.trim(),
    contentType,
    start,
    retryAfter,
    ...(/^\d{1,9}$/.test(retryAfter) ? { retryAfterS: Number(retryAfter) } : {}),
  };
}

function startOf(bytes: Buffer, isCut: boolean): AnswerStart {
  return { text: bytes.subarray(0, START_BYTES).toString('utf8'), isCut };
}
