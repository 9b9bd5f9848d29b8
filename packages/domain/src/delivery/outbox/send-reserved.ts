import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { blockedChatStore, isBlockedChat } from '../../records/chats/blocked-chat-store.ts';
import type { Lane } from './lanes.ts';
import { sendEntry } from './send-entry.ts';
import type { Outcome } from './send-outcome.ts';
import { settlementStore } from './settlement-store.ts';
import type { OutboxTurn, OutboxTurnDeps } from './turn-deps.ts';
import type { BegunEntry, WaitingEntry } from './turn-store.ts';

/** So long before its time an entry is noted as being sent: until then a kill leaves no doubt about it. */
const NOTED_BEFORE_MS = 10;
const REFUSED_PAUSE_MS = 250;
const HELD_AT_ONCE = 1_000;
const UNKNOWN_PAUSE_MS = 1_000;
const UNAUTHORIZED = 401;
/** How long a changed configuration may take from Redis to this process. */
const CHANGED_PAUSE_MS = 200;
const FIRST_PAUSE_MS = 3_000;
/** The updates of the bot may have met the same replacing of its token. */
const REFUSED_LATELY_MS = 10_000;

/** Sends the first entry of a lane at its time, and stores how that ended. Never rejects. */
export async function sendReserved(
  deps: OutboxTurnDeps,
  turn: OutboxTurn,
  bot: Bot,
  lane: Lane,
  { entry, atMs }: { entry: WaitingEntry; atMs: number },
): Promise<void> {
  const { bot_id, claim, lanes, lease } = turn;
  await until(atMs - NOTED_BEFORE_MS);
  if (!lease.ownsTurn()) return;
  const owned = { id: entry.id, bot_id, claim };
  let begun: BegunEntry | null;
  try {
    begun = await deps.outboxWrites.begin(owned);
  } catch (error) {
    if (!isUnavailable(error)) deps.log.error({ bot: bot_id, err: error }, 'entries could not be noted as being sent');
    // It may be noted all the same.
    await deps.outboxWrites.settle({ ...notMade(lane.chat_id), ...owned });
    lanes.forget(lane);
    return;
  }
  if (begun === null) {
    lane.restsUntilMs = performance.now() + REFUSED_PAUSE_MS;
    lanes.forget(lane);
    return;
  }
  const outcome =
    (await whyNot(deps, bot_id, begun)) ??
    (await sendUnlessResting(deps, turn, bot, { begun, messages: entry.messages, atMs }));
  follow(turn, outcome);
  await deps.outboxWrites.settle({ ...outcome, ...owned });
  await noteBlocked(deps, bot_id, begun, outcome);
  deps.measure.attempted(MEASURED[outcome.event]);
  if (outcome.event === 'hold') lanes.forgetAll();
  else if (outcome.event === 'again') lanes.forget(lane);
  else lanes.drop(lane);
}

/** Of those that were to go out at the same time, only what was sent before a failure is in doubt with it. */
async function sendUnlessResting(
  deps: OutboxTurnDeps,
  { lease, bot_id }: OutboxTurn,
  bot: Bot,
  { begun, messages, atMs }: { begun: BegunEntry; messages: number; atMs: number },
): Promise<Outcome> {
  await until(atMs);
  if (deps.unreachable.leftMs(bot_id) > 0) return notMade(begun.chat_id);
  const answered = await deps.sendGates.of(bot_id, bot.pace.per_second).enter(messages);
  const isHeld = !lease.ownsTurn() || deps.unreachable.begin(bot_id) > 0;
  const outcome = isHeld ? notMade(begun.chat_id) : await sendTraced(deps, bot, begun);
  answered();
  if (isHeld || outcome.event !== 'again') return outcome;
  const afterMs =
    outcome.error_code === UNAUTHORIZED ? await pauseOfToken(deps, bot, outcome.afterMs) : outcome.afterMs;
  return { ...outcome, afterMs: Math.max(afterMs, deps.unreachable.leftMs(bot_id)) };
}

/** A refused token may have been replaced, and the new one not be stored yet, or be on its way to this process. */
async function pauseOfToken({ redis, clock }: OutboxTurnDeps, bot: Bot, longestMs: number): Promise<number> {
  const { state } = botKeys(bot.id);
  const [revision, refusedAt] = await redis.commands.hmget(state, 'revision', 'refusedAt').catch(() => []);
  if (Number(revision) > bot.revision) return CHANGED_PAUSE_MS;
  const isRefusedForLong = Number(refusedAt ?? 0) > 0 && clock.nowMs() - Number(refusedAt) > REFUSED_LATELY_MS;
  return isRefusedForLong ? longestMs : FIRST_PAUSE_MS;
}

/** The trace and the log of the request that handed it over go on here. */
async function sendTraced(deps: OutboxTurnDeps, bot: Bot, entry: BegunEntry): Promise<Outcome> {
  const { requestId, traceparent: parent } = entry.created_by;
  const attributes = {
    ...{ 'flotilla.bot_id': bot.id, 'flotilla.entry_id': entry.id, 'flotilla.attempt': entry.attempts },
    ...(requestId === undefined ? {} : { 'flotilla.request_id': requestId }),
  };
  // One that was not handed over by a traced request gets no span.
  const span = parent === undefined ? null : deps.tracing?.start('send entry', { kind: 'client', parent, attributes });
  const outcome = await sendEntry(deps, bot, entry);
  span?.set({ 'flotilla.outcome': MEASURED[outcome.event] });
  span?.end(outcome.event === 'sent' ? 'ok' : 'failed');
  const line = { bot: bot.id, entry: entry.id, outcome: MEASURED[outcome.event], requestId };
  if (outcome.event === 'doubt') deps.log.warn(line, 'nobody knows if an entry was sent');
  else deps.log.debug(line, 'an entry was sent, or was refused');
  return outcome;
}

const MEASURED = { sent: 'sent', fail: 'failed', doubt: 'in_doubt', again: 'again', hold: 'held' } as const;

/** null: the author of the entry still may send it. */
async function whyNot(deps: OutboxTurnDeps, bot_id: number, entry: BegunEntry): Promise<Outcome | null> {
  try {
    const lost = await deps.authors.lost({ ...entry, bot_id });
    if (lost === null) return null;
    if (lost.ofAll && entry.released_by === null) await holdOthers(deps, bot_id, entry, lost.why);
    return { event: 'hold', error: lost.why };
  } catch (error) {
    if (!isUnavailable(error)) deps.log.error({ bot: bot_id, err: error }, 'the right of an author could not be read');
    return notMade(entry.chat_id, UNKNOWN_PAUSE_MS);
  }
}

/** At once, so that they take no times from what others wait to send. */
async function holdOthers(deps: OutboxTurnDeps, botId: number, entry: BegunEntry, why: string): Promise<void> {
  const store = settlementStore(deps.db);
  try {
    while ((await store.holdOthers(botId, entry, why, HELD_AT_ONCE)) === HELD_AT_ONCE);
  } catch (error) {
    deps.log.warn({ bot: botId, reason: String(error) }, 'sends of an author are held one by one');
  }
}

/** Another process may own the outbox now, which counts what it sends itself, or the bot rests. */
function notMade(chat_id: number, afterMs = 0): Outcome {
  return { event: 'again', error_code: null, error: '', chat_id, afterMs, counts: false };
}

/** A fault of the whole bot makes it rest: here a revoked token. Of a 429 delivery/flood takes care, of outages delivery/unreachable. */
function follow(turn: OutboxTurn, outcome: Outcome): void {
  if (outcome.event !== 'again' || outcome.error_code !== UNAUTHORIZED) return;
  turn.restsUntilMs = Math.max(turn.restsUntilMs, performance.now() + outcome.afterMs);
}

/** The next broadcast leaves the chat out. If that cannot be noted, it learns of it by itself. */
async function noteBlocked(
  deps: OutboxTurnDeps,
  bot_id: number,
  { chat_id, params }: BegunEntry,
  outcome: Outcome,
): Promise<void> {
  if (outcome.event !== 'fail' || outcome.error_code === null) return;
  const refusal = { code: outcome.error_code, description: outcome.error };
  if (!isBlockedChat(refusal, params)) return;
  await blockedChatStore(deps.db)
    .note({ bot_id, chat_id })
    .catch((error: unknown) =>
      deps.log.warn({ bot: bot_id, reason: String(error) }, 'a blocked chat could not be noted'),
    );
}

async function until(atMs: number): Promise<void> {
  const leftMs = atMs - performance.now();
  if (leftMs > 0) await delay(leftMs);
}
