import { setTimeout as delay } from 'node:timers/promises';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import { type Bot, sendsWaiting } from '../../fleet/bots/bot.ts';
import { botForTurn } from '../../fleet/bots/bot-for-turn.ts';
import { floodedCall } from '../flood/flooded-call.ts';
import { isStoreAway } from '../lanes/is-store-away.ts';
import { entryFinder } from './find-entries.ts';
import { type Candidate, type Lane, lanesOfBot } from './lanes.ts';
import { HORIZON_MS, reserveSends } from './pace.ts';
import { sendReserved } from './send-reserved.ts';
import type { OutboxTurn, OutboxTurnDeps } from './turn-deps.ts';
import { outboxTurnStore } from './turn-store.ts';
import { wakeUps } from './wake-ups.ts';

/** After this time the next bot has its turn. */
const SHARE_MS = 30_000;
/** An empty outbox is waited at for a moment: the next entry then needs no new turn. */
const LINGERS_MS = 500;
const CHATS_THAT_MAY_WAIT = 4;
/** So long before a time is free, it is reserved: no time goes unused. */
const BEFORE_FREE_MS = 30;
/** An answer may end a rest before its time. */
const LOOKS_AT_REST_MS = 100;
const STORE_AWAY_PAUSE_MS = 1_000;
/** News that was published before comes within this time. */
const NEWS_WITHIN_MS = 25;
const WIND_DOWN_MS = 1_000;
/** A worker must stop within 25 s. The answer to a request that takes longer leaves its entry in doubt. */
const ANSWERS_WITHIN_MS = 7_000;

/** Sends the entries of one bot for a while, each at its time. */
export async function outboxTurn(deps: OutboxTurnDeps, bot_id: number, lease: TurnLease): Promise<TurnOutcome> {
  const bot = await botForTurn(deps, bot_id, sendsWaiting);
  if (bot === null) return { next: 'idle' };
  const store = outboxTurnStore(deps.db);
  const news = deps.turnNews.listen(bot_id, 'outbox');
  const wakes = wakeUps(lease.signal);
  const turn: Omit<OutboxTurn, 'claim'> = {
    ...{ bot_id, lease, wakes, lanes: lanesOfBot(), inFlight: new Set(), restsUntilMs: 0, isNews: false },
  };
  news.onWake(() => {
    turn.isNews = true;
    turn.lanes.lookAgain();
    wakes.wake();
  });
  let outcome: TurnOutcome | null = null;
  try {
    const claim = await store.claim(bot_id);
    await store.doubtFormer(bot_id, claim);
    await deps.unreachable.adopt(bot);
    outcome = await sendForAWhile(deps, Object.assign(turn, { claim }));
    return outcome.next === 'at' ? { ...outcome, lookAgain: () => heardNews(turn, news) } : outcome;
  } catch (error) {
    if (!isStoreAway(error)) throw error;
    return { next: 'at', atMs: deps.clock.nowMs() + STORE_AWAY_PAUSE_MS };
  } finally {
    if (outcome?.next !== 'at') news.stop();
    // Requests that were made are answered also when the turn was lost, and their answers are stored.
    await Promise.race([Promise.all(turn.inFlight), delay(ANSWERS_WITHIN_MS, undefined, { ref: false })]);
    wakes.stop();
  }
}

/** After the sleep is stored, which took the place of a wake: whether there was one. */
async function heardNews(turn: Pick<OutboxTurn, 'isNews'>, news: { stop(): void }): Promise<boolean> {
  await delay(NEWS_WITHIN_MS);
  news.stop();
  return turn.isNews;
}

async function sendForAWhile(deps: OutboxTurnDeps, turn: OutboxTurn): Promise<TurnOutcome> {
  const { lease, lanes, wakes, inFlight } = turn;
  const look = entryFinder(deps, turn);
  let endsAtMs = performance.now() + SHARE_MS;
  let quietSinceMs = Number.POSITIVE_INFINITY;
  while (lease.ownsTurn()) {
    const bot = deps.directory.byId(turn.bot_id);
    if (bot === undefined || !sendsWaiting(bot)) return { next: 'idle' };
    const found = await look(bot);
    await sendReady(deps, turn, bot);
    const nowMs = performance.now();
    if (nowMs >= endsAtMs) {
      if (await answersCome(inFlight)) return { next: 'again' };
      // A request that hangs must not keep the other chats of the bot waiting for the end of the turn.
      endsAtMs = performance.now() + SHARE_MS;
    }
    const isQuiet = lanes.isEmpty() && inFlight.size === 0;
    quietSinceMs = isQuiet ? Math.min(quietSinceMs, nowMs) : Number.POSITIVE_INFINITY;
    const dueMs = Math.min(found.scheduledMs, lanes.nextMs() ?? Number.POSITIVE_INFINITY);
    const isFarAway =
      lanes.isEnough() && inFlight.size === 0 && dueMs > nowMs + LINGERS_MS && turn.restsUntilMs <= nowMs;
    if (isQuiet ? nowMs - quietSinceMs >= LINGERS_MS : isFarAway) return endsUntil(deps, dueMs);
    const unreachableMs = deps.unreachable.leftMs(turn.bot_id);
    if (unreachableMs > LINGERS_MS && inFlight.size === 0) return endsUntil(deps, nowMs + unreachableMs);
    const lingers = isQuiet ? quietSinceMs + LINGERS_MS : Number.POSITIVE_INFINITY;
    const next = Math.max(Math.min(dueMs, found.lookMs, lingers), turn.restsUntilMs);
    await wakes.wait(Math.max(1, next - nowMs));
  }
  // The worker stops, or has lost the turn: another one goes on.
  return { next: 'again' };
}

async function answersCome(inFlight: ReadonlySet<Promise<void>>): Promise<boolean> {
  await Promise.race([Promise.all(inFlight), delay(WIND_DOWN_MS, undefined, { ref: false })]);
  return inFlight.size === 0;
}

function endsUntil({ clock }: OutboxTurnDeps, dueMs: number): TurnOutcome {
  if (dueMs === Number.POSITIVE_INFINITY) return { next: 'idle' };
  return { next: 'at', atMs: clock.nowMs() + Math.max(0, dueMs - performance.now()) };
}

/** Reserves times for what may be sent now, and begins to send it. */
async function sendReady(deps: OutboxTurnDeps, turn: OutboxTurn, bot: Bot): Promise<void> {
  const { lanes } = turn;
  if (performance.now() < turn.restsUntilMs) return;
  const heldMs = Math.max(deps.unreachable.leftMs(bot.id), deps.sendGates.of(bot.id, bot.pace.per_second).silentMs());
  if (heldMs > 0) {
    turn.restsUntilMs = performance.now() + Math.min(heldMs, LOOKS_AT_REST_MS);
    return;
  }
  const most = deps.unreachable.isKnown(bot.id) ? 1 : mostAtOnce(bot);
  const candidates = lanes.candidates(most).filter((candidate) => !restsForFlood(deps, bot, candidate));
  if (candidates.length === 0) return;
  const granted = await reserveSends(deps, bot, candidates);
  const nowMs = performance.now();
  for (const [at, { limit, waitMs }] of granted.entries()) {
    const { lane, entry } = candidates[at]!;
    lane.awaitsPace = limit === 'chat';
    switch (limit) {
      case 'none':
        begin(deps, turn, bot, lane, { entry, atMs: nowMs + waitMs });
        break;
      case 'chat':
        lane.restsUntilMs = nowMs + waitMs;
        break;
      case 'bot':
        turn.restsUntilMs = nowMs + Math.max(waitMs - BEFORE_FREE_MS, 1);
    }
  }
}

/** While the platform takes nothing of the kind into a chat, or of the whole bot, the chat rests. */
function restsForFlood({ floods }: OutboxTurnDeps, bot: Bot, { lane, entry }: Candidate): boolean {
  const call = floodedCall(bot.id, entry.method.toLowerCase(), (name) =>
    name === 'chat_id' ? lane.chat_id : undefined,
  );
  const waitMs = call === null ? 0 : floods.waitMs(call);
  if (waitMs > 0) Object.assign(lane, { restsUntilMs: performance.now() + waitMs, awaitsPace: false });
  return waitMs > 0;
}

function begin(
  deps: OutboxTurnDeps,
  turn: OutboxTurn,
  bot: Bot,
  lane: Lane,
  reserved: Parameters<typeof sendReserved>[4],
): void {
  lane.busy = true;
  const sending = sendReserved(deps, turn, bot, lane, reserved).finally(() => {
    lane.busy = false;
    turn.inFlight.delete(sending);
    turn.wakes.wake();
  });
  turn.inFlight.add(sending);
}

/** Those of the time for which times are reserved, and some whose chat may have to wait. */
function mostAtOnce(bot: Bot): number {
  return Math.ceil((bot.pace.per_second * HORIZON_MS.live) / 1000) + CHATS_THAT_MAY_WAIT;
}
