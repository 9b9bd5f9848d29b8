import { setTimeout as delay } from 'node:timers/promises';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import { readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../bots/bot.ts';
import type { RouteLink } from '../history/route-link.ts';
import { appendCalls } from '../update-log/append-calls.ts';
import { rememberOwnPosts } from '../update-log/own-posts.ts';
import type { Destination, DestinationProgress } from './destination.ts';
import { keepFreshLinks } from './find-counterparts.ts';
import { messageParts, type Part } from './message-parts.ts';
import { keepQuiet, reserveForBot, reserveForChat } from './pace.ts';
import type { RoutingDeps } from './routing-deps.ts';
import { canSendNatively, sendNatively } from './send-native.ts';
import type { SendOutcome } from './send-outcome.ts';
import { sendPart } from './send-part.ts';
import { sourceLine } from './source-line.ts';

/** The turn that sends: whether it still owns the bot's rules, and where it writes down how far it came. */
export type RoutingTurn = {
  held(): boolean;
  signal: AbortSignal;
  /** Stores the progress of the update; false when somebody else owns it now. */
  note(links: RouteLink[]): Promise<boolean>;
};

export type DestinationEnd =
  /** All of it is sent, or never will be: the progress says which. */
  | { outcome: 'ended' }
  /** Its pace lets it go on at this time (ms). */
  | { outcome: 'paced'; atMs: number }
  | { outcome: 'failed'; reason: string; status: number | null; retryAfterS?: number }
  | { outcome: 'lost' };

/** Longer than this nobody waits holding a turn. */
const WAITED_HERE_MS = 1500;
/** What is for a disabled bot waits, and is looked at this often. */
const DISABLED_PAUSE_MS = 5000;

/**
 * Sends messages (one, or an album) to one destination, part by part, as fast as the platform likes it. Each part is
 * recorded as soon as it is sent, so that a crash concerns the one that is under way.
 */
export async function sendToDestination(
  deps: RoutingDeps,
  bot: Bot,
  messages: Fields[],
  to: Destination,
  progress: DestinationProgress,
  turn: RoutingTurn,
): Promise<DestinationEnd> {
  if (to.target.disabled) return { outcome: 'paced', atMs: deps.clock.nowMs() + DISABLED_PAUSE_MS };
  const destination = { ...to, chatId: progress.movedTo ?? to.chatId };
  const parts = messageParts(messages, to.showsSource ? sourceLine(messages[0] ?? {}) : null);
  if (parts.length === 0) return end(progress, turn);
  if (progress.anew !== true && progress.sent === 0 && (await canSendNatively(deps, bot, destination, messages))) {
    const ended = await sendOne(deps, bot, { messages, part: null, isLast: true }, destination, progress, turn);
    if (ended.outcome !== 'refused') return ended.outcome === 'sent' ? end(progress, turn) : ended;
    progress.anew = true;
  }
  while (progress.sent < parts.length) {
    const part = parts[progress.sent] as Part;
    const isLast = progress.sent === parts.length - 1;
    const ended = await sendOne(deps, bot, { messages, part, isLast }, destination, progress, turn);
    if (ended.outcome === 'refused') return end(progress, turn, ended);
    if (ended.outcome !== 'sent') return ended;
  }
  return end(progress, turn);
}

type OneEnd =
  | { outcome: 'sent' }
  | { outcome: 'refused'; reason: string; status: number | null }
  | Exclude<DestinationEnd, { outcome: 'ended' }>;
/** `part` null: by the platform's own forwarding or copying. */
type Sent = { messages: Fields[]; part: Part | null; isLast: boolean };

async function sendOne(
  deps: RoutingDeps,
  bot: Bot,
  sent: Sent,
  to: Destination,
  progress: DestinationProgress,
  turn: RoutingTurn,
): Promise<OneEnd> {
  const { messages, part } = sent;
  if (to.atMostOnce && progress.begun === progress.sent) return leaveOut(deps, to, sent, progress, turn);
  const paced = await waitForPace(deps, to, messagesOf(part, messages), progress, turn);
  if (paced !== null) return paced;
  if (to.atMostOnce) {
    progress.begun = progress.sent;
    if (!(await turn.note([]))) return { outcome: 'lost' };
  }
  delete progress.slotMs;
  const outcome = part === null ? await sendNatively(deps, bot, to, messages) : await sendPart(deps, bot, to, part);
  return record(deps, bot, sent, to, progress, turn, outcome);
}

async function record(
  deps: RoutingDeps,
  bot: Bot,
  sent: Sent,
  to: Destination,
  progress: DestinationProgress,
  turn: RoutingTurn,
  outcome: SendOutcome,
): Promise<OneEnd> {
  if (outcome.outcome !== 'later' || outcome.neverSent) delete progress.begun;
  switch (outcome.outcome) {
    case 'sent': {
      countSent(progress, sent);
      const links = linksOf(bot, sent.messages[0] ?? {}, to, outcome.links);
      await rememberOwnPosts(deps, [outcome.call]);
      await keepFreshLinks(deps, links);
      const owns = await turn.note(links);
      await capture(deps, to.target, outcome);
      return owns ? { outcome: 'sent' } : { outcome: 'lost' };
    }
    case 'refused':
      return outcome;
    case 'moved': {
      if (progress.movedTo === outcome.chatId)
        return { outcome: 'refused', reason: 'the chat keeps moving', status: 400 };
      progress.movedTo = outcome.chatId;
      to.chatId = outcome.chatId;
      return sendOne(deps, bot, sent, to, progress, turn);
    }
    case 'later': {
      const { reason, status, retryAfterS } = outcome;
      if (status === 429 && retryAfterS !== undefined) {
        await keepQuiet(deps, to.target.id, to.chatId, deps.clock.nowMs() + retryAfterS * 1000);
      }
      return { outcome: 'failed', reason, status, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
    }
  }
}

/** Nobody knows whether the part was sent; the rule wants it at most once. */
async function leaveOut(
  deps: RoutingDeps,
  to: Destination,
  sent: Sent,
  progress: DestinationProgress,
  turn: RoutingTurn,
): Promise<OneEnd> {
  deps.log.warn({ bot: to.target.id, destination: to.name }, 'a message may have been sent or not; it is left out');
  delete progress.begun;
  countSent(progress, sent);
  return (await turn.note([])) ? { outcome: 'sent' } : { outcome: 'lost' };
}

/** The end is recorded with the last part: what came later could take a part for one that is missing. */
function countSent(progress: DestinationProgress, { isLast }: Sent): void {
  progress.sent += 1;
  if (isLast) progress.end = 'sent';
}

/** null: now. A long wait is kept in the progress, so that the moment is still ours then. */
async function waitForPace(
  deps: RoutingDeps,
  to: Destination,
  messages: number,
  progress: DestinationProgress,
  turn: RoutingTurn,
): Promise<OneEnd | null> {
  const reservedMs = progress.slotMs;
  const chatMs = await reserveForChat(deps, to.target.id, to.chatId, { messages, reservedMs });
  if (chatMs - deps.clock.nowMs() > WAITED_HERE_MS) {
    progress.slotMs = chatMs;
    return (await turn.note([])) ? { outcome: 'paced', atMs: chatMs } : { outcome: 'lost' };
  }
  await waitUntil(deps, chatMs, turn.signal);
  await waitUntil(deps, await reserveForBot(deps, to.target.id, messages), turn.signal);
  return turn.held() ? null : { outcome: 'lost' };
}

async function waitUntil({ clock }: RoutingDeps, atMs: number, signal: AbortSignal): Promise<void> {
  const leftMs = atMs - clock.nowMs();
  if (leftMs > 0) await delay(leftMs, undefined, { signal }).catch(() => {});
}

async function end(
  progress: DestinationProgress,
  turn: RoutingTurn,
  refused?: { reason: string; status: number | null },
): Promise<DestinationEnd> {
  if (progress.end === 'sent') return { outcome: 'ended' };
  progress.end = refused === undefined ? 'sent' : 'failed';
  if (refused !== undefined) Object.assign(progress, { reason: refused.reason, status: refused.status });
  return (await turn.note([])) ? { outcome: 'ended' } : { outcome: 'lost' };
}

function linksOf(
  bot: Bot,
  message: Fields,
  to: Destination,
  pairs: { sourceId: number; targetId: number }[],
): RouteLink[] {
  const chatId = Number(readObject(message, 'chat')?.id);
  const businessConnectionId = readText(message, 'business_connection_id') ?? '';
  return pairs.map(({ sourceId, targetId }) => ({
    source: { botId: bot.id, chatId, messageId: sourceId, businessConnectionId },
    target: {
      botId: to.target.id,
      chatId: to.chatId,
      messageId: targetId,
      businessConnectionId: to.businessConnectionId,
    },
  }));
}

/** What the target bot sent is in its history, like what its program sends. */
async function capture(deps: RoutingDeps, target: Bot, sent: Extract<SendOutcome, { outcome: 'sent' }>): Promise<void> {
  if (!target.manageEnabled) return;
  await appendCalls(deps, target, [sent.call]).catch((error: unknown) =>
    deps.log.warn({ bot: target.id, reason: String(error) }, 'a routed message was not captured'),
  );
}

function messagesOf(part: Part | null, messages: Fields[]): number {
  if (part === null) return messages.length;
  return part.type === 'album' ? part.members.length : 1;
}
