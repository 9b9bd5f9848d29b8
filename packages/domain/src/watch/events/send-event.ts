import type { Clock } from '@flotilla/runtime/clock.ts';
import { secondsOfRetryAfter } from '@flotilla/runtime/retry-after.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { BackendConnections } from '../../delivery/push/backend-connections.ts';
import { sendToBackend } from '../../delivery/push/send-to-backend.ts';
import { NOT_SIGNED, signDelivery } from '../../delivery/push/sign-delivery.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { EventSink } from './event-sink.ts';
import { type ShownEvent, textOfEvents } from './event-text.ts';

export type SendDeps = {
  clock: Clock;
  directory: BotDirectory;
  backends: Pick<BackendConnections, 'to'>;
  platform: PlatformClient;
};

export type Sent = (
  | { outcome: 'taken' }
  | { outcome: 'failed'; reason: string; status: number | null; retryAfterS?: number }
  /** The signal was aborted before the answer came. */
  | { outcome: 'stopped' }
) & {
  /** The supergroup that the chat of the sink is now, to which the events were sent. */
  movedTo?: number;
};

/** Somebody waits for the next event. */
const DEADLINE_MS = 10_000;

/** Sends events to a sink once: to a chat all in one message, to a URL the only one. Never throws. */
export function sendEvents(
  deps: SendDeps,
  sink: EventSink,
  events: readonly ShownEvent[],
  signal: AbortSignal,
): Promise<Sent> {
  return sink.target.kind === 'url'
    ? sendToUrl(deps, sink.target, events[0]!, signal)
    : sendToChat(deps, sink.target, textOfEvents(events), signal);
}

type Target<Kind> = Extract<EventSink['target'], { kind: Kind }>;

/** The form of Standard Webhooks: the type, the time and the data. */
async function sendToUrl(
  deps: SendDeps,
  { url, signing }: Target<'url'>,
  event: ShownEvent,
  signal: AbortSignal,
): Promise<Sent> {
  const { id, kind: type, at: timestamp } = event.resource;
  return sendSigned(
    deps,
    { kind: 'url', url, signing },
    { id: `evt_${id}`, type, timestamp, data: dataOf(event) },
    signal,
  );
}

/** The body for a URL. `id` stays the same when it is sent again. */
type SignedMessage = {
  id: string;
  type: string;
  timestamp: string;
  data: { request_id?: string | undefined };
};

/** Posts a message, signed, once. Never throws. */
export async function sendSigned(
  deps: Pick<SendDeps, 'clock' | 'backends'>,
  { url, signing }: Target<'url'>,
  { id, ...message }: SignedMessage,
  signal: AbortSignal,
): Promise<Sent> {
  const body = JSON.stringify(message);
  const signature = signDelivery(signing, { id, atMs: deps.clock.nowMs(), body });
  if (signature === null) return { outcome: 'failed', reason: NOT_SIGNED, status: null };
  const address = { id: 0, backend_url: url, secret_token: '', backend_certificate: '', backend_ip_address: '' };
  const { request_id } = message.data;
  const ofRequest = request_id === undefined ? {} : { 'Flotilla-Request-Id': request_id };
  const request = { id: 0, raw: body, headers: { ...signature, 'Flotilla-Delivery-Id': id, ...ofRequest } };
  const delivery = await sendToBackend(deps.backends.to(address), address, request, signal, {
    deadlineMs: DEADLINE_MS,
  });
  switch (delivery.outcome) {
    case 'delivered':
      return { outcome: 'taken' };
    case 'refused': {
      const { reason, status, retryAfter } = delivery;
      const retryAfterS = secondsOfRetryAfter(retryAfter, deps.clock.nowMs());
      return { outcome: 'failed', reason, status, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
    }
    case 'failed':
      return { outcome: 'failed', reason: delivery.reason, status: null };
    case 'aborted':
      return { outcome: 'stopped' };
  }
}

function dataOf({ resource, repeats, link, botName, isTest }: ShownEvent) {
  return {
    ...resource,
    ...(botName === null ? {} : { bot_name: botName }),
    ...(repeats > 0 ? { repeats } : {}),
    ...(link === null ? {} : { link }),
    ...(isTest ? { test: true } : {}),
  };
}

async function sendToChat(
  deps: SendDeps,
  { bot_id, chat_id }: Target<'chat'>,
  text: string,
  signal: AbortSignal,
  hasMoved = false,
): Promise<Sent> {
  const bot = deps.directory.byId(bot_id);
  if (bot === undefined) return { outcome: 'failed', reason: 'The bot that writes is gone', status: null };
  if (bot.disabled) return { outcome: 'failed', reason: 'The bot that writes is disabled', status: null };
  const message = { chat_id, text, link_preview_options: { is_disabled: true } };
  const answer = await deps.platform.call(bot.token, 'sendMessage', message, { timeoutMs: DEADLINE_MS, signal });
  switch (answer.outcome) {
    case 'ok':
      return { outcome: 'taken' };
    case 'refused': {
      const { errorCode: status, description: reason, retryAfterS, migrateToChatId: movedTo } = answer;
      if (movedTo !== undefined && !hasMoved) {
        return { ...(await sendToChat(deps, { kind: 'chat', bot_id, chat_id: movedTo }, text, signal, true)), movedTo };
      }
      return { outcome: 'failed', reason, status, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
    }
    case 'unreachable':
    case 'garbage':
      if (signal.aborted) return { outcome: 'stopped' };
      return { outcome: 'failed', reason: answer.reason, status: null };
  }
}
