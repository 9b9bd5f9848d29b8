import type { FailedDestination } from '@flotilla/contract/deliveries.ts';
import type { Tracing } from '@flotilla/runtime/tracing.ts';
import { type Fields, readInteger, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import { chatOfUpdate } from '@flotilla/telegram/update-facts.ts';
import { NEW_MESSAGE_KINDS } from '@flotilla/telegram/update-kinds.ts';
import type { ActiveRule } from '../../fleet/bots/active-rule.ts';
import { type Bot, rulesMatchInTurns } from '../../fleet/bots/bot.ts';
import type { DeliveryFailure } from '../../records/history/delivery-failure.ts';
import type { Attempt } from '../../records/journal/attempt-line.ts';
import { takeOverChat } from '../../records/takeover/take-over-chat.ts';
import { MANAGED_BOT } from '../adoption/managed-bot.ts';
import { takeManagedBot } from '../adoption/take-managed-bot.ts';
import { pressOf, type QuestionPress } from '../filters/question-press.ts';
import type { ClaimedUnit, Outcome } from '../lanes/claimed-unit.ts';
import { afterFailure, type FailedTry, type RetryRecord } from '../lanes/retry-schedule.ts';
import type { HandlingTurn } from '../lanes/run-turn.ts';
import { takeAnswer } from '../questions/take-answer.ts';
import type { ShownUpdate } from './claim-for-rules.ts';
import { countHits, hitsOf, type Routed } from './count-hits.ts';
import type { Destination, DestinationProgress, RoutingProgress } from './destination.ts';
import { answersOwnMessage, findDestinations } from './find-destinations.ts';
import { matchingRules, routerRules } from './matching-rules.ts';
import { noteRouted } from './note-routed.ts';
import { hidesItsWriter, isOwnMessage } from './own-message.ts';
import type { RoutingDeps } from './routing-deps.ts';
import type { RoutingLease } from './routing-lease.ts';
import { rulesForMessage } from './rules-for-message.ts';
import { type DestinationEnd, sendToDestination } from './send-to-destination.ts';

/** A post of our own may come back this long before the answer to the call that made it. */
const OWN_POST_KNOWN_AFTER_MS = 1500;

/** How often, and for how long, a turn tries to show how a question ended. */
const SHOW_AGAIN_MS = 1_000;
const SHOWN_BY_TURN_MS = 8_000;

/** The lane, and the album ('' for none), of an update that has to be filed for routing; null for other updates. */
export function readRoutable(bot: Bot, shown: ShownUpdate): { lane: string; album: string } | null {
  const message = messageOf(shown);
  if (message === null) return null;
  const { lane } = shown;
  const press = pressIn(shown, message);
  // It must not wait for messages of its chat, which wait for the pace of others.
  if (press !== null) return { lane: `q:${press.questionId}`, album: '' };
  if (shown.kind === MANAGED_BOT) return bot.adopts ? { lane, album: '' } : null;
  // Also shown are updates of any kind that nobody gets, such as edits for a parked program (lib/log.lua).
  if (!NEW_MESSAGE_KINDS.includes(shown.kind)) return null;
  const group = message.media_group_id;
  // Only one message of an album has the caption, so all of its messages are matched together later.
  const matches = rulesMatchInTurns(bot);
  if (matches && (typeof group === 'string' || typeof group === 'number')) return { lane, album: String(group) };
  const meets = matches && matchingRules(bot, shown.kind, [message]).length > 0;
  const asks = () => routerRules(bot, shown.kind, [message]).length > 0;
  return meets || answersOwnMessage(bot, message) || asks() ? { lane, album: '' } : null;
}

export type UnitDeps = RoutingDeps & {
  tracing: Tracing | null;
  /** When (ms) a unit is begun again for which the router has no room now. */
  askAgainAtMs(): number;
};

/** Routes one update or album as far as possible now. Rejects only when Redis or Postgres is unavailable. */
export async function routeUnit(
  deps: UnitDeps,
  bot: Bot,
  unit: ClaimedUnit,
  { fencingToken, lease, cancel }: HandlingTurn,
): Promise<Routed> {
  const messages = unit.updates.map(messageOf).filter((message) => message !== null);
  const [first] = messages;
  if (first === undefined || !lease.ownsTurn()) return { outcome: first === undefined ? 'delivered' : 'returned' };
  const press = pressIn(unit.updates[0], first);
  if (press !== null) return answerOutcome(await takeAnswer(deps, bot, press), unit, deps.clock.nowMs());
  if (unit.updates[0].kind === MANAGED_BOT) return takeManagedBot(deps, bot, unit, first);
  const knownFromMs = unit.updates[0].acceptedAtMs + OWN_POST_KNOWN_AFTER_MS;
  if (hidesItsWriter(first) && deps.clock.nowMs() < knownFromMs) {
    return { outcome: 'waits', atMs: knownFromMs };
  }
  if (await isOwnMessage(deps, first)) return { outcome: 'delivered' };
  const progress = progressOf(unit);
  const { only } = progress;
  const { kind } = unit.updates[0];
  const rules = await rulesForMessage(deps, bot, { kind, messages }, progress, cancel);
  // A lane that waits for room to ask holds none of the others'.
  if (rules === 'busy') return { outcome: 'waits', atMs: deps.askAgainAtMs() };
  if (rules === 'aborted' || !lease.ownsTurn()) return { outcome: 'returned' };
  if (only === undefined && progress.held === undefined) await holdByRules(deps, bot, rules, first, progress);
  const found = await findDestinations(deps, bot, rules, messages);
  const destinations = only === undefined ? found : found.filter(({ name }) => only.includes(name));
  const routing: RoutingLease = {
    ownsTurn: lease.ownsTurn,
    signal: lease.signal,
    storeProgress: (links) => noteRouted(deps, bot, unit, { fencingToken, progress, links }),
  };
  const isDropped = destinations.length === 0 && rules.some(({ action }) => action === 'drop');
  const routed: Routed = isDropped
    ? { outcome: 'dropped' }
    : await sendToAll(deps, bot, unit, { messages, destinations, progress }, routing);
  return countHits(routed, progress, hitsOf(rules, found), (hits) =>
    noteRouted(deps, bot, unit, { fencingToken, progress, hits }),
  );
}

/** The first rule that holds takes the chat over. */
async function holdByRules(
  deps: RoutingDeps,
  bot: Bot,
  rules: ActiveRule[],
  message: Fields,
  progress: RoutingProgress,
): Promise<void> {
  const rule = rules.find(({ action }) => action === 'hold');
  const chatId = readInteger(readObject(message, 'chat') ?? {}, 'id');
  if (rule === undefined || chatId === null) return;
  const business_connection_id = readText(message, 'business_connection_id') ?? '';
  const holder = { kind: 'rule', id: rule.id } as const;
  await takeOverChat(
    deps,
    bot,
    { chat_id: chatId, business_connection_id },
    { holder, minutes: rule.action_minutes ?? 60 },
  );
  progress.held = true;
}

/** The press of a button of a question, which no other reader gets. */
function pressIn({ kind }: { kind: string }, payload: Fields): QuestionPress | null {
  return kind === 'callback_query' ? pressOf(payload) : null;
}

/** A message that does not show the end yet is left to upkeep after a while. */
function answerOutcome(taken: 'taken' | 'retry', unit: ClaimedUnit, nowMs: number): Outcome {
  const isRecent = nowMs - unit.updates[0].acceptedAtMs < SHOWN_BY_TURN_MS;
  if (taken === 'taken' || !isRecent) return { outcome: 'delivered' };
  return { outcome: 'waits', atMs: nowMs + SHOW_AGAIN_MS };
}

async function sendToAll(
  deps: RoutingDeps,
  bot: Bot,
  unit: ClaimedUnit,
  { messages, destinations, progress }: { messages: Fields[]; destinations: Destination[]; progress: RoutingProgress },
  lease: RoutingLease,
): Promise<Routed> {
  let nextMs = Number.POSITIVE_INFINITY;
  let failed: RetryRecord | null = null;
  const attempts: Attempt[] = [];
  for (const to of destinations) {
    const reached: DestinationProgress = progress.to[to.key] ?? { sent: 0 };
    progress.to[to.key] = reached;
    if (reached.end !== undefined) continue;
    const begunAtMs = deps.clock.nowMs();
    const ended = await sendToDestination(deps, bot, messages, to, reached, lease);
    if (ended.outcome === 'lost') return { outcome: 'returned', attempts };
    const result = resultOf(ended, reached);
    if (result !== null) attempts.push({ ...attemptAt(bot, unit, to, begunAtMs, deps.clock.nowMs()), ...result });
    if (ended.outcome === 'paced') nextMs = Math.min(nextMs, ended.atMs);
    if (ended.outcome === 'retry') {
      failed = afterFailure(unit.retry, failedTry(ended), { expiresAtMs: expiryOf(unit) }, deps.clock.nowMs());
      await lease.storeProgress([]);
      nextMs = Math.min(nextMs, failed.nextTryAtMs);
    }
  }
  if (nextMs < expiryOf(unit)) {
    const again = failed === null ? ({ outcome: 'waits' } as const) : ({ outcome: 'retry', record: failed } as const);
    return { ...again, atMs: nextMs, attempts };
  }
  const expired = nextMs === Number.POSITIVE_INFINITY ? null : (failed ?? unit.retry);
  return { ...endOf(unit, { destinations, progress }, expired, deps.clock.nowMs()), attempts };
}

/** How an attempt ended; null if it only waits for its pace. */
function resultOf(
  ended: DestinationEnd,
  reached: DestinationProgress,
): Pick<Attempt, 'outcome' | 'status' | 'error'> | null {
  if (ended.outcome === 'retry') return { outcome: 'failed', status: ended.status ?? 0, error: ended.reason };
  if (ended.outcome !== 'ended') return null;
  if (reached.end === 'sent') return { outcome: 'delivered', status: 200 };
  return { outcome: 'failed', status: reached.status ?? 0, error: reached.reason ?? '' };
}

/** It takes from the first message to the last, waits for the pace included. */
function attemptAt(
  bot: Bot,
  { lane, retry, updates: [update] }: ClaimedUnit,
  to: Destination,
  begunAtMs: number,
  endedAtMs: number,
) {
  return {
    atMs: begunAtMs,
    updateId: update.id,
    chatId: chatOfUpdate(update.kind, lane, update.raw),
    durationMs: endedAtMs - begunAtMs,
    attempt: (retry?.attempts ?? 0) + 1,
    revision: bot.revision,
    destination: to.name,
  };
}

/** The outcome of a unit that is not tried again: delivered, or dead with the destinations that did not get it. */
function endOf(
  unit: ClaimedUnit,
  { destinations, progress }: { destinations: Destination[]; progress: RoutingProgress },
  expired: RetryRecord | null,
  nowMs: number,
): Outcome {
  const failed = destinations.flatMap((to) => failedDestination(to, progress.to[to.key], expired) ?? []);
  if (failed.length === 0) return { outcome: 'delivered' };
  const record = expired ?? unit.retry;
  const failure: DeliveryFailure = {
    code: failed.every(({ reason_code }) => reason_code === 'expired') ? 'expired' : 'destination_failed',
    reason: failed.map(({ name, error }) => `${name}: ${error}`).join('; '),
    attempts: record?.attempts ?? 1,
    lastStatus: failed[0]?.status ?? null,
    firstFailedAtMs: record?.firstFailedAtMs ?? nowMs,
    lastFailedAtMs: nowMs,
    destinations: failed,
  };
  return { outcome: 'dead', failure };
}

/** Why a destination did not get all of it; null when it did. */
function failedDestination(
  to: Destination,
  progress: DestinationProgress | undefined,
  expired: RetryRecord | null,
): FailedDestination | null {
  if (progress?.end === 'sent') return null;
  const { name } = to;
  if (progress?.end === 'failed') {
    return { name, reason_code: 'refused', ...statusOf(progress.status), error: progress.reason ?? '' };
  }
  const last = expired === null ? '' : ` (${expired.lastError})`;
  const error = `expired before it could be sent${last}`;
  return { name, reason_code: 'expired', ...statusOf(expired?.lastStatus), error };
}

function statusOf(status: number | null | undefined): { status?: number } {
  return typeof status === 'number' ? { status } : {};
}

function failedTry(ended: Extract<DestinationEnd, { outcome: 'retry' }>): FailedTry {
  const { outcome: _, ...failed } = ended;
  return { ...failed, code: failed.status === null ? 'unreachable' : 'refused' };
}

function progressOf({ progress }: ClaimedUnit): RoutingProgress {
  return progress === '' ? { to: {} } : (JSON.parse(progress) as RoutingProgress);
}

function expiryOf(unit: ClaimedUnit): number {
  return Math.min(...unit.updates.map((update) => update.expiresAtMs));
}

function messageOf({ kind, raw }: { kind: string; raw: string }): Fields | null {
  return readObject(JSON.parse(raw) as Fields, kind);
}
