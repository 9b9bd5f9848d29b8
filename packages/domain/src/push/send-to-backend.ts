import type { Dispatcher } from 'undici';
import { isForbiddenError } from '../bots/backend-address.ts';
import type { Bot } from '../bots/bot.ts';
import type { BackendTarget } from './backend-connections.ts';

export type Delivery =
  | { outcome: 'delivered'; status: number; contentType: string; reply: string }
  /** The backend did not answer with 2xx. A redirect is refused too, because we do not follow it. */
  | { outcome: 'refused'; status: number; reason: string; retryAfterS?: number }
  | { outcome: 'failed'; code: 'unreachable' | 'timed_out' | 'forbidden_address'; reason: string }
  /** Aborted by us before the backend had answered. */
  | { outcome: 'aborted' };

/** From sending to the last byte of the answer, as at the platform. */
export const DELIVERY_DEADLINE_MS = 60_000;
const REPLY_READ_AT_MOST = 128 * 1024;

/** POSTs one update to the bot's backend, with the platform's headers. Never throws. */
export async function sendToBackend(
  target: BackendTarget,
  bot: Bot,
  update: { id: number; raw: string; traceparent?: string | null },
  signal: AbortSignal,
  deadlineMs = DELIVERY_DEADLINE_MS,
): Promise<Delivery> {
  if (target.forbidden) return { outcome: 'failed', code: 'forbidden_address', reason: target.forbidden };
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  const stop = () => deadline.abort();
  signal.addEventListener('abort', stop);
  const headers: Record<string, string> = { ...target.headers, 'Flotilla-Delivery-Id': `${bot.id}-${update.id}` };
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
  const reply = await readBounded(response);
  if (statusCode >= 200 && statusCode < 300) {
    return { outcome: 'delivered', status: statusCode, contentType: String(headers['content-type'] ?? ''), reply };
  }
  const retryAfter = String(headers['retry-after'] ?? '');
  return {
    outcome: 'refused',
    status: statusCode,
    reason: `Wrong response from the webhook: ${statusCode} ${response.statusText}`.trim(),
    ...(/^\d{1,9}$/.test(retryAfter) ? { retryAfterS: Number(retryAfter) } : {}),
  };
}

/** The reply's text; '' when it is too long, or compressed although we did not ask for it. */
async function readBounded({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  if (Number(headers['content-length'] ?? 0) > REPLY_READ_AT_MOST || headers['content-encoding'] !== undefined) {
    body.on('error', () => {}).destroy();
    return '';
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > REPLY_READ_AT_MOST) {
      body.destroy();
      return '';
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}
