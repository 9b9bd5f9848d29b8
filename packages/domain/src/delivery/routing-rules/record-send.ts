import { type Fields, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { rememberOwnPosts } from '../../records/history/own-posts.ts';
import type { RouteLink } from '../../records/history/route-links.ts';
import type { CapturedCall } from '../../records/history/stream/captured-call.ts';
import type { Destination, DestinationProgress } from './destination.ts';
import { keepFreshLinks } from './find-counterparts.ts';
import type { Part } from './message-parts.ts';
import type { RoutingDeps } from './routing-deps.ts';
import type { RoutingLease } from './routing-lease.ts';
import type { SendOutcome } from './send-outcome.ts';

/** The content of one call. `part` is null when the platform itself forwards or copies the messages. */
export type Sent = { messages: Fields[]; part: Part | null; isLast: boolean };

export type RecordedEnd =
  | { outcome: 'sent' }
  | { outcome: 'refused'; reason: string; status: number | null }
  /** The destination has the chat's new id now: send there. */
  | { outcome: 'moved' }
  | { outcome: 'retry'; reason: string; status: number | null; retryAfterS?: number }
  | { outcome: 'lost' };

/** Records the result of a send: progress, links, history. */
export async function recordSend(
  deps: RoutingDeps,
  bot: Bot,
  sent: Sent,
  to: Destination,
  progress: DestinationProgress,
  lease: RoutingLease,
  outcome: SendOutcome,
): Promise<RecordedEnd> {
  if (outcome.outcome !== 'retry' || outcome.neverSent) delete progress.begun;
  switch (outcome.outcome) {
    case 'sent': {
      countSent(progress, sent);
      // Like the calls of its program, this one belongs in the target bot's history, even if what follows fails.
      if (to.target.manage_enabled) deps.calls.keep(to.target, { ...outcome.call, ...automaticOf(to) });
      const links = linksOf(bot, sent.messages[0] ?? {}, to, outcome.links);
      await rememberOwnPosts(deps, [outcome.call]);
      await keepFreshLinks(deps, links);
      const owns = await lease.storeProgress(links);
      return owns ? { outcome: 'sent' } : { outcome: 'lost' };
    }
    case 'refused':
      return outcome;
    case 'moved': {
      if (progress.movedTo === outcome.chatId)
        return { outcome: 'refused', reason: 'the chat keeps moving', status: 400 };
      progress.movedTo = outcome.chatId;
      to.chatId = outcome.chatId;
      return { outcome: 'moved' };
    }
    case 'retry': {
      const { reason, status, retryAfterS } = outcome;
      return { outcome: 'retry', reason, status, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
    }
  }
}

function automaticOf({ ruleId: id }: Destination): Pick<CapturedCall, 'actor'> {
  return id === null ? {} : { actor: { automatic: { kind: 'rule', id } } };
}

/** Skips a part that may have been sent already, because the rule wants it sent at most once. */
export async function leaveOut(
  deps: RoutingDeps,
  to: Destination,
  sent: Sent,
  progress: DestinationProgress,
  lease: RoutingLease,
): Promise<{ outcome: 'sent' | 'lost' }> {
  deps.log.warn(
    { bot: to.target.id, destination: to.name },
    'the platform may have sent a message already; it is not sent again',
  );
  delete progress.begun;
  countSent(progress, sent);
  return { outcome: (await lease.storeProgress([])) ? 'sent' : 'lost' };
}

/** Records the end together with the last part: otherwise a later turn could believe that a part is missing. */
function countSent(progress: DestinationProgress, { isLast }: Sent): void {
  progress.sent += 1;
  if (isLast) progress.end = 'sent';
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
    ...(to.ruleId === null ? {} : { ruleId: to.ruleId }),
  }));
}
