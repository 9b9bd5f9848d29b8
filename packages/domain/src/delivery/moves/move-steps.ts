import type { MoveStep } from '@flotilla/contract/bot-moves.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { readObject } from '@flotilla/telegram/platform-fields.ts';
import type { AtServer } from '@flotilla/telegram/platform-server.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { openBot } from '../../fleet/bots/bot-row.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import { wakeTurns } from '../../fleet/bots/change-bot.ts';
import { foreignWebhookText } from '../../fleet/bots/foreign-webhook.ts';
import { NOW, patchBotState } from '../../fleet/bots/patch-bot-state.ts';
import { removeOurWebhook, setPlatformWebhook } from '../../fleet/bots/platform-webhook.ts';
import { republishBots } from '../../fleet/bots/republish-bots.ts';
import { isNamed, serverOfName } from '../../fleet/upstreams/server-of-name.ts';
import { serverWords } from '../../fleet/upstreams/server-words.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { reservationOf } from '../intake/id-reserve.ts';
import { type BotMove, botMoveStore } from './bot-move-store.ts';
import { leaveServer } from './leave-server.ts';
import type { MoveDeps, StepDeps } from './move-deps.ts';
import { failureAt, isLoggedOut, mayBeLoggedIn } from './server-answers.ts';

/** A step goes on with the next one (null: another worker has the move, or it is over), or waits. */
export type StepWait = { waitsS: number; reason: string; until?: Date | null };
export type StepEnd = { next: BotMove | null } | StepWait;
type Step = (deps: StepDeps, bot: Bot, move: BotMove) => Promise<StepEnd>;

export const STEPS: Record<MoveStep, Step> = { drain, log_out: depart, log_in: enter, start };

/** Fewer than these are left to the next step. */
const FEW_UPDATES = 100;
const SETTLE_S = 5;
const LOOK_AGAIN_S = 5;
const DRAINING_S = 1;
const ASK_MS = 15_000;
/** How long the cloud refuses a bot that left it, where nobody knows when that was. */
const REFUSED_MS = 600_000;

/** Polling takes in what waits, also that of a bot in webhook mode. */
async function drain(deps: MoveDeps, bot: Bot, move: BotMove): Promise<StepEnd> {
  const answer = await deps.duringMoves.call(bot.token, 'getWebhookInfo', {}, { at: bot, timeoutMs: ASK_MS });
  if (isLoggedOut(answer)) return hasLeft(deps, move);
  if (answer.outcome !== 'ok') return waits(deps, failureAt(bot.upstream, answer));
  const info = readObject({ info: answer.result }, 'info');
  if (info?.url !== '') {
    const found = await removeOurWebhook({ ...deps, platform: deps.duringMoves }, bot);
    if (found.outcome === 'foreign') return waits(deps, foreignWebhookText(found.host));
  }
  const waiting = Number(info?.pending_update_count);
  if (bot.disabled && waiting > 0) {
    return waits(deps, `the bot is disabled: enable it, since ${waiting} updates wait at ${serverWords(bot)}`);
  }
  if (waiting <= FEW_UPDATES) return { next: await changed(deps, move, { step: 'log_out', ...NO_WAIT }) };
  await deps.turns.polling.wake(bot.id);
  return { waitsS: DRAINING_S, reason: `many updates wait at ${serverWords(bot)}, and are taken in` };
}

/** From this step on nothing is sent, once every process knows it. */
async function depart(deps: StepDeps, bot: Bot, move: BotMove): Promise<StepEnd> {
  if (!(await isKnownToAll(deps, bot, move))) return { waitsS: DRAINING_S, reason: '' };
  const left = await leaveServer(deps, bot, () => botMoveStore(deps.db).leave(move));
  switch (left.outcome) {
    case 'left':
      return hasLeft(deps, move);
    case 'lost':
      return { next: null };
    case 'failed':
      // It can be cancelled again, unless an earlier try may have logged it out.
      if (left.stays && move.leaves_at === null) await botMoveStore(deps.db).stay(move);
      return waits(deps, left.reason);
    case 'refused':
      // In the step before, a new token can be given, and the server is asked again whether an earlier try has logged it out.
      return drainAgain(deps, move, left.reason);
    case 'no-room':
      // An earlier try may have logged it out.
      if (move.leaves_at !== null && !left.isHere) return waits(deps, left.reason);
      return drainAgain(deps, move, left.reason);
  }
}

/** The bot is not logged out, so sends need not wait. */
async function drainAgain(deps: MoveDeps, move: BotMove, reason: string): Promise<StepEnd> {
  await botMoveStore(deps.db).stay(move);
  await changed(deps, move, { step: 'drain', reason });
  return waits(deps, reason);
}

/** True once processes had the time to hear of it, which counts from when Redis had it: to publish it may have failed. */
async function isKnownToAll(deps: MoveDeps, { id }: Bot, move: BotMove): Promise<boolean> {
  const moves = botMoveStore(deps.db);
  await deps.directory.refresh();
  if (deps.directory.byId(id)?.moving?.step === move.step) return moves.isSettled(move, deps.settleS ?? SETTLE_S);
  await moves.unsettle(move);
  await republishBots(deps, [id]);
  return false;
}

async function hasLeft(deps: MoveDeps, move: BotMove): Promise<StepEnd> {
  return { next: await published(deps, move, (db) => botMoveStore(db).left(move)) };
}

async function enter(deps: StepDeps, bot: Bot, move: BotMove): Promise<StepEnd> {
  const at = serverOf(deps, bot, move.to_upstream);
  if (at === null) return waits(deps, unnamed(move.to_upstream));
  if (move.logs_out_of !== null) return leaveAbandoned(deps, bot, move, move.logs_out_of);
  const there = serverWords({ upstream: move.to_upstream });
  const answer = await deps.duringMoves.call(bot.token, 'getMe', {}, { at, timeoutMs: ASK_MS, signal: deps.signal });
  if (isLoggedOut(answer)) {
    const seconds = await botMoveStore(deps.db).refusalLeftS(bot.id, move.to_upstream);
    const until = seconds > 0 ? inMs(deps, seconds * 1000) : (move.waits_until ?? inMs(deps, REFUSED_MS));
    return { ...waits(deps, `${there} takes no bot back for ten minutes after it left`), until: roundly(until, move) };
  }
  if (answer.outcome === 'refused' && answer.retryAfterS !== undefined) {
    const until = roundly(inMs(deps, answer.retryAfterS * 1000), move);
    return { ...waits(deps, `${there} asks to wait`), until };
  }
  if (answer.outcome !== 'ok') return waits(deps, failureAt(move.to_upstream, answer));
  if (readObject({ me: answer.result }, 'me')?.id !== bot.telegram_id) {
    return waits(deps, `${there} knows another bot by this token`);
  }
  return { next: await arrive(deps, bot, move) };
}

/** To ask a server that the move gave up for the bot may have logged it in there, and two would take its updates. */
async function leaveAbandoned(deps: StepDeps, bot: Bot, move: BotMove, upstream: string): Promise<StepEnd> {
  const at = serverOf(deps, bot, upstream);
  if (at === null) return waits(deps, `${unnamed(upstream)}, where the bot may be logged in: name it again`);
  if (!(await botMoveStore(deps.db).renew(move))) return { next: null };
  const answer = await deps.duringMoves.call(bot.token, 'logOut', {}, { at, timeoutMs: ASK_MS });
  if (answer.outcome !== 'ok' && mayBeLoggedIn(answer)) {
    return waits(deps, `${failureAt(upstream, answer)}, and the bot may be logged in there`);
  }
  return { next: await changed(deps, move, { logs_out_of: null, ...NO_WAIT }) };
}

function serverOf(deps: MoveDeps, { environment }: Bot, upstream: string): AtServer | null {
  return isNamed(deps.servers, upstream) ? serverOfName(deps, upstream, environment) : null;
}

function unnamed(upstream: string): string {
  return `TELEGRAM_UPSTREAMS has no server ${upstream}`;
}

/** Ids of the new server may be lower: what is handed out goes on above all that was. */
async function arrive(deps: MoveDeps, bot: Bot, move: BotMove): Promise<BotMove | null> {
  const lastId = Number((await deps.redis.commands.hget(botKeys(bot.id).state, 'lastId')) ?? 0);
  return published(deps, move, async (db) => {
    const bots = botStore(db);
    const row = await bots.lock(bot.id);
    const next = row && (await botMoveStore(db).change(move, { step: 'start', ...NO_WAIT }));
    if (!row || !next) return null;
    await bots.update(bot.id, { upstream: move.to_upstream, moves: row.moves + 1 });
    if (lastId > 0) await bots.reserveUpdateIds([reservationOf(bot, lastId)]);
    return next;
  });
}

async function start(deps: MoveDeps, bot: Bot, move: BotMove): Promise<StepEnd> {
  // Whoever changed the row may have ended before Redis knew it.
  await republishBots(deps, [bot.id]);
  if (bot.webhook_mode && !bot.disabled) {
    try {
      await setPlatformWebhook({ ...deps, platform: deps.duringMoves }, bot);
    } catch (error) {
      if (!(error instanceof FlotillaError)) throw error;
      return waits(deps, `the webhook cannot be set: ${error.message}`);
    }
    await patchBotState(deps, bot, { hookOkAt: NOW });
  }
  await patchBotState(deps, bot, { intakeSince: NOW, foreignAt: 0, refusedAt: 0 });
  let isChanged = false;
  await published(deps, move, async (db) => {
    isChanged = (await botStore(db).byId(bot.id))?.revision !== bot.revision;
    if (isChanged || !(await botMoveStore(db).finish(move))) return null;
    const details =
      move.left_at === null
        ? `cancelled: it stays at ${move.to_upstream}`
        : `moved from ${move.from_upstream} to ${move.to_upstream}`;
    await recordAction({ ...deps, db }, move.actor as Actor, { action: 'bot_moved', bot_id: bot.id, details });
    return move;
  });
  // Its token, say, or its intake: what was set at the server may be of before.
  if (isChanged) return startAgain(deps, bot, move);
  const row = await botStore(deps.db).byId(bot.id);
  if (row) await wakeTurns(deps, openBot(deps.secrets, row), true);
  return { next: null };
}

async function startAgain(deps: MoveDeps, { id }: Bot, move: BotMove): Promise<StepEnd> {
  const row = await botStore(deps.db).byId(id);
  if (row) await removeOurWebhook({ ...deps, platform: deps.duringMoves }, openBot(deps.secrets, row));
  return { next: row ? move : null };
}

const NO_WAIT = { waits_until: null, reason: '' };

function waits({ lookAgainS = LOOK_AGAIN_S }: MoveDeps, reason: string) {
  return { waitsS: lookAgainS, reason };
}

function changed(deps: MoveDeps, move: BotMove, changes: Parameters<ReturnType<typeof botMoveStore>['change']>[1]) {
  return published(deps, move, (db) => botMoveStore(db).change(move, changes));
}

/** Stores what the bot shows of its move, and tells every process. */
async function published(
  deps: MoveDeps,
  move: BotMove,
  store: (db: Database) => Promise<BotMove | null>,
): Promise<BotMove | null> {
  const next = await deps.db.transaction().execute(async (db) => {
    // Whoever deletes the bot locks it first, too.
    if ((await botStore(db).lock(move.bot_id)) === undefined) return null;
    const stored = await store(db);
    if (stored !== null) await botStore(db).touch([move.bot_id]);
    return stored;
  });
  if (next !== null) await republishBots(deps, [move.bot_id]);
  return next;
}

function inMs({ clock }: MoveDeps, ms: number): Date {
  return new Date(clock.nowMs() + ms);
}

/** The time that is shown already, where another look only differs by a little. */
function roundly(until: Date, { waits_until: shown }: BotMove): Date {
  return shown !== null && Math.abs(shown.getTime() - until.getTime()) < 5_000 ? shown : until;
}
