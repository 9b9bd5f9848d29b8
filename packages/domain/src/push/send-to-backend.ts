import type { Dispatcher } from 'undici';
import { isForbiddenError } from '../bots/backend-address.ts';
import { type Backend, deliveryIdOf } from './backend.ts';
import type { BackendTarget } from './backend-connections.ts';

/** The beginning of an answer. `isCut`: the answer is longer. */
export type AnswerStart = { text: string; isCut: boolean };

export type Delivery =
  /** `start`: the beginning of the answer, also of one that is too long to be read whole. */
  | { outcome: 'delivered'; status: number; contentType: string; reply: string; start: AnswerStart }
  /** The backend did not answer with 2xx. A redirect is refused too, because we do not follow it. */
  | {
      outcome: 'refused';
      status: number;
      reason: string;
      contentType: string;
      start: AnswerStart;
      retryAfterS?: number;
    }
  | { outcome: 'failed'; code: 'unreachable' | 'timed_out' | 'forbidden_address' | 'not_signed'; reason: string }
  /** Aborted by us before the backend had answered. */
  | { outcome: 'aborted' };

/** From sending to the last byte of the answer, as at the platform. */
export const DELIVERY_DEADLINE_MS = 60_000;
const REPLY_READ_AT_MOST = 128 * 1024;
const START_BYTES = 8 * 1024;
const START_WITHIN_MS = 1_000;
const NOTHING: AnswerStart = { text: '', isCut: false };

/** POSTs one update to the bot's backend, with the platform's headers. Never throws. */
export async function sendToBackend(
  target: BackendTarget,
  bot: Backend,
  update: { id: number; raw: string; traceparent?: string | null; headers?: Record<string, string> },
  signal: AbortSignal,
  deadlineMs = DELIVERY_DEADLINE_MS,
): Promise<Delivery> {
  if (target.forbidden) return { outcome: 'failed', code: 'forbidden_address', reason: target.forbidden };
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  const stop = () => deadline.abort();
  signal.addEventListener('abort', stop);
  const deliveryId = { 'Flotilla-Delivery-Id': deliveryIdOf(bot, update.id) };
  const headers: Record<string, string> = { ...target.headers, ...deliveryId, ...update.headers };
  if (update.traceparent) headers.traceparent = update.traceparent;
  try {
    const response = await target.dispatcher.request({
      origin: target.origin,
      path: target.path,
      method: 'POST',
      headers,
      body: update.raw,
      signal: deadline.signal,
    });
    return await judge(response);
  } catch (error) {
    if (signal.aborted) return { outcome: 'aborted' };
    if (deadline.signal.aborted) return { outcome: 'failed', code: 'timed_out', reason: 'Read timeout expired' };
    const reason = error instanceof Error ? error.message : 'the connection failed';
    return { outcome: 'failed', code: isForbiddenError(error) ? 'forbidden_address' : 'unreachable', reason };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

async function judge(response: Dispatcher.ResponseData): Promise<Delivery> {
  const { statusCode, headers } = response;
  const contentType = String(headers['content-type'] ?? '');
  const isSuccess = statusCode >= 200 && statusCode < 300;
  const { text, start } = await readBounded(response);
  if (isSuccess) return { outcome: 'delivered', status: statusCode, contentType, reply: text, start };
  const retryAfter = String(headers['retry-after'] ?? '');
  return {
    outcome: 'refused',
    status: statusCode,
    reason: `Wrong response from the webhook: ${statusCode} ${response.statusText}`.trim(),
    contentType,
    start,
    ...(/^\d{1,9}$/.test(retryAfter) ? { retryAfterS: Number(retryAfter) } : {}),
  };
}

/** The reply's text, '' when it is too long, or compressed although we did not ask for it; and its beginning. */
async function readBounded({ headers, body }: Dispatcher.ResponseData): Promise<{ text: string; start: AnswerStart }> {
  if (headers['content-encoding'] !== undefined) {
    body.on('error', () => {}).destroy();
    return { text: '', start: NOTHING };
  }
  if (Number(headers['content-length'] ?? 0) > REPLY_READ_AT_MOST) return { text: '', start: await readStart(body) };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > REPLY_READ_AT_MOST) {
      body.destroy();
      return { text: '', start: startOf(chunks[0]!, true) };
    }
  }
  const bytes = Buffer.concat(chunks);
  return { text: bytes.toString('utf8'), start: startOf(bytes) };
}

/** The first chunk of a body that is too long. The status of the answer counts, whatever follows. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<AnswerStart> {
  body.on('error', () => {});
  const timer = setTimeout(() => body.destroy(), START_WITHIN_MS);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) return startOf(chunk, true);
    return NOTHING;
  } catch {
    return NOTHING;
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
}

function startOf(bytes: Buffer, isCut = bytes.length > START_BYTES): AnswerStart {
  return { text: bytes.subarray(0, START_BYTES).toString('utf8'), isCut };
}
