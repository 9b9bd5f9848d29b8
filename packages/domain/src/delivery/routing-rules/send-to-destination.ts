import { setTimeout as delay } from 'node:timers/promises';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { Destination, DestinationProgress } from './destination.ts';
import { messageParts, type Part } from './message-parts.ts';
import { reserveForBot, reserveForChat } from './pace.ts';
import { leaveOut, type RecordedEnd, recordSend, type Sent } from './record-send.ts';
import type { RoutingDeps } from './routing-deps.ts';
import type { RoutingLease } from './routing-lease.ts';
import { canSendNatively, sendNatively } from './send-natively.ts';
import { sendPart } from './send-part.ts';
import { sourceLine } from './source-line.ts';

export type DestinationEnd =
  /** All of it was sent, or the rest never will be; the progress says which. */
  | { outcome: 'ended' }
  /** The pace allows the next part at this time (ms). */
  | { outcome: 'paced'; atMs: number }
  /** A try failed, and another one may succeed. */
  | { outcome: 'retry'; reason: string; status: number | null; retryAfterS?: number }
  | { outcome: 'lost' };

/** A turn waits at most this long for the pace of a chat. For a longer wait the lane sleeps. */
const WAITED_HERE_MS = 1500;
/** Messages for a disabled target bot wait, and are tried again this often. */
const DISABLED_PAUSE_MS = 5000;

/**
 * Sends messages (one, or an album) to one destination, part by part, as fast as the platform allows. Each part is
 * recorded as soon as it is sent, so that a crash affects only the one in flight.
 */
export async function sendToDestination(
  deps: RoutingDeps,
  bot: Bot,
  messages: Fields[],
  to: Destination,
  progress: DestinationProgress,
  lease: RoutingLease,
): Promise<DestinationEnd> {
  if (to.target.disabled) return { outcome: 'paced', atMs: deps.clock.nowMs() + DISABLED_PAUSE_MS };
  const destination = { ...to, chatId: progress.movedTo ?? to.chatId };
  const parts = messageParts(messages, to.showsSource ? sourceLine(messages[0] ?? {}) : null);
  if (parts.length === 0) return end(progress, lease);
  if (progress.anew !== true && progress.sent === 0 && (await canSendNatively(deps, bot, destination, messages))) {
    const ended = await sendOne(deps, bot, { messages, part: null, isLast: true }, destination, progress, lease);
    if (ended.outcome !== 'refused') return ended.outcome === 'sent' ? end(progress, lease) : ended;
    progress.anew = true;
  }
  while (progress.sent < parts.length) {
    const part = parts[progress.sent] as Part;
    const isLast = progress.sent === parts.length - 1;
    const ended = await sendOne(deps, bot, { messages, part, isLast }, destination, progress, lease);
    if (ended.outcome === 'refused') return end(progress, lease, ended);
    if (ended.outcome !== 'sent') return ended;
  }
  return end(progress, lease);
}

type OneEnd = Exclude<RecordedEnd, { outcome: 'moved' }> | Exclude<DestinationEnd, { outcome: 'ended' }>;

async function sendOne(
  deps: RoutingDeps,
  bot: Bot,
  sent: Sent,
  to: Destination,
  progress: DestinationProgress,
  lease: RoutingLease,
): Promise<OneEnd> {
  const { messages, part } = sent;
  if (to.atMostOnce && progress.begun === progress.sent) return leaveOut(deps, to, sent, progress, lease);
  const paced = await waitForPace(deps, to, messagesOf(part, messages), progress, lease);
  if (paced !== null) return paced;
  if (to.atMostOnce) {
    progress.begun = progress.sent;
    if (!(await lease.storeProgress([]))) return { outcome: 'lost' };
  }
  delete progress.reservedMs;
  const outcome = part === null ? await sendNatively(deps, bot, to, messages) : await sendPart(deps, bot, to, part);
  const recorded = await recordSend(deps, bot, sent, to, progress, lease, outcome);
  return recorded.outcome === 'moved' ? sendOne(deps, bot, sent, to, progress, lease) : recorded;
}

/** null when the part may be sent now. A long wait stores its reserved time in the progress, so that it stays ours. */
async function waitForPace(
  deps: RoutingDeps,
  to: Destination,
  messages: number,
  progress: DestinationProgress,
  lease: RoutingLease,
): Promise<OneEnd | null> {
  const { reservedMs } = progress;
  const floodMs = Math.max(
    deps.floods.waitMs({ botId: to.target.id, family: 'send', place: String(to.chatId) }),
    deps.unreachable.leftMs(to.target.id),
  );
  if (floodMs > WAITED_HERE_MS) {
    // The reserved times of many would all be over by then.
    delete progress.reservedMs;
    const atMs = deps.clock.nowMs() + floodMs;
    return (await lease.storeProgress([])) ? { outcome: 'paced', atMs } : { outcome: 'lost' };
  }
  await waitFor(floodMs, lease.signal);
  const forChat = await reserveForChat(deps, to.target.id, to.chatId, { messages, reservedMs });
  if (forChat.waitMs > WAITED_HERE_MS) {
    progress.reservedMs = forChat.atMs;
    const atMs = deps.clock.nowMs() + forChat.waitMs;
    return (await lease.storeProgress([])) ? { outcome: 'paced', atMs } : { outcome: 'lost' };
  }
  await waitFor(forChat.waitMs, lease.signal);
  const forBot = await reserveForBot(deps, to.target.id, messages);
  await waitFor(forBot.waitMs, lease.signal);
  if (!lease.ownsTurn()) return { outcome: 'lost' };
  const restMs = deps.unreachable.begin(to.target.id);
  return restMs === 0 ? null : { outcome: 'paced', atMs: deps.clock.nowMs() + restMs };
}

async function waitFor(waitMs: number, signal: AbortSignal): Promise<void> {
  if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => {});
}

async function end(
  progress: DestinationProgress,
  lease: RoutingLease,
  refused?: { reason: string; status: number | null },
): Promise<DestinationEnd> {
  if (progress.end === 'sent') return { outcome: 'ended' };
  progress.end = refused === undefined ? 'sent' : 'failed';
  if (refused !== undefined) Object.assign(progress, { reason: refused.reason, status: refused.status });
  return (await lease.storeProgress([])) ? { outcome: 'ended' } : { outcome: 'lost' };
}

function messagesOf(part: Part | null, messages: Fields[]): number {
  if (part === null) return messages.length;
  return part.type === 'album' ? part.members.length : 1;
}
