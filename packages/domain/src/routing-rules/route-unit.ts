import type { FailedDestination } from '@flotilla/contract/deliveries.ts';
import { type Fields, readObject } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../bots/bot.ts';
import { afterFailure, type FailedTry, type RetryRecord } from '../push/delivery-schedule.ts';
import type { DeliveryFailure } from '../update-log/delivery-failure.ts';
import type { Destination, DestinationProgress } from './destination.ts';
import { answersOwnMessage, findDestinations } from './find-destinations.ts';
import { matchingRules } from './match-rules.ts';
import { hidesItsWriter, isOwnMessage } from './own-message.ts';
import type { RoutingDeps } from './routing-deps.ts';
import type { RoutingTurn } from './routing-turn.ts';
import { type FinishedUnit, noteRouted, type RoutingUnit, type ShownUpdate } from './rules-step.ts';
import { type DestinationEnd, sendToDestination } from './send-to-destination.ts';

/** A post may come back before the answer to our own call that made it. */
const SETTLES_AFTER_MS = 1500;

/** Whether an update is to be filed for routing; the album it belongs to, '' for none. null: nothing is to be done. */
export function readRoutable(bot: Bot, shown: ShownUpdate): { album: string } | null {
  const message = messageOf(shown);
  if (message === null) return null;
  const group = message.media_group_id;
  // Only one member of an album carries its caption: all of them are looked at together.
  const sends = bot.rules.some((rule) => rule.action !== 'drop');
  if (sends && (typeof group === 'string' || typeof group === 'number')) return { album: String(group) };
  const meets = sends && matchingRules(bot, shown.kind, [message]).some((rule) => rule.action !== 'drop');
  return meets || answersOwnMessage(bot, message) ? { album: '' } : null;
}

/** Routes one update, or an album, as far as it gets now. Rejects only when Redis or Postgres cannot be asked. */
export async function routeUnit(
  deps: RoutingDeps,
  bot: Bot,
  unit: RoutingUnit,
  turn: { fencingToken: number; held(): boolean; signal: AbortSignal },
): Promise<FinishedUnit> {
  const messages = unit.updates.map(messageOf).filter((message) => message !== null);
  const [first] = messages;
  if (first === undefined || !turn.held()) return { unit, outcome: first === undefined ? 'ok' : 'release' };
  const settledAtMs = (unit.updates[0]?.acceptedAtMs ?? 0) + SETTLES_AFTER_MS;
  if (hidesItsWriter(first) && deps.clock.nowMs() < settledAtMs) {
    return { unit, outcome: 'later', atMs: settledAtMs, record: unit.retry };
  }
  if (await isOwnMessage(deps, first)) return { unit, outcome: 'ok' };
  const { only } = unit.progress;
  const found = await findDestinations(deps, bot, unit.updates[0]?.kind ?? '', messages);
  const destinations = only === undefined ? found : found.filter(({ name }) => only.includes(name));
  const routing: RoutingTurn = {
    held: turn.held,
    signal: turn.signal,
    note: (links) => noteRouted(deps, bot, unit, { fencingToken: turn.fencingToken, links }),
  };
  return sendToAll(deps, bot, unit, { messages, destinations }, routing);
}

async function sendToAll(
  deps: RoutingDeps,
  bot: Bot,
  unit: RoutingUnit,
  { messages, destinations }: { messages: Fields[]; destinations: Destination[] },
  turn: RoutingTurn,
): Promise<FinishedUnit> {
  let nextMs = Number.POSITIVE_INFINITY;
  let record: RetryRecord | null = unit.retry;
  for (const to of destinations) {
    const progress: DestinationProgress = unit.progress.to[to.key] ?? { sent: 0 };
    unit.progress.to[to.key] = progress;
    if (progress.end !== undefined) continue;
    const ended = await sendToDestination(deps, bot, messages, to, progress, turn);
    if (ended.outcome === 'lost') return { unit, outcome: 'release' };
    if (ended.outcome === 'paced') nextMs = Math.min(nextMs, ended.atMs);
    if (ended.outcome === 'failed') {
      record = afterFailure(unit.retry, failedTry(ended), { expiresAtMs: expiryOf(unit) }, deps.clock.nowMs());
      await turn.note([]);
      nextMs = Math.min(nextMs, record.nextTryAtMs);
    }
  }
  if (nextMs < expiryOf(unit)) return { unit, outcome: 'later', atMs: nextMs, record };
  return buried(unit, destinations, nextMs === Number.POSITIVE_INFINITY ? null : record, deps.clock.nowMs());
}

/** The end of a unit: nothing to complain of, or a dead letter that says which destinations never got it. */
function buried(
  unit: RoutingUnit,
  destinations: Destination[],
  expired: RetryRecord | null,
  nowMs: number,
): FinishedUnit {
  const failed = destinations.flatMap((to) => failedDestination(to, unit.progress.to[to.key], expired) ?? []);
  if (failed.length === 0) return { unit, outcome: 'ok' };
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
  return { unit, outcome: 'dead', failure };
}

/** Why a destination never got it all; null when it did. */
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

function failedTry(ended: Extract<DestinationEnd, { outcome: 'failed' }>): FailedTry {
  const { outcome: _, ...failed } = ended;
  return { ...failed, code: failed.status === null ? 'unreachable' : 'refused' };
}

function expiryOf(unit: RoutingUnit): number {
  return Math.min(...unit.updates.map((update) => update.expiresAtMs));
}

function messageOf({ kind, raw }: { kind: string; raw: string }): Fields | null {
  return readObject(JSON.parse(raw) as Fields, kind);
}
