import type { MovePlan } from '@flotilla/contract/bot-moves.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { readObject } from '@flotilla/telegram/platform-fields.ts';
import type { AtServer } from '@flotilla/telegram/platform-server.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { foreignWebhookText } from '../../fleet/bots/foreign-webhook.ts';
import { baseForPushes, foreignWebhookHost } from '../../fleet/bots/platform-webhook.ts';
import { serverOfName } from '../../fleet/upstreams/server-of-name.ts';
import { serverWords } from '../../fleet/upstreams/server-words.ts';
import { type BotMove, botMoveStore } from './bot-move-store.ts';
import type { AskDeps } from './move-deps.ts';
import { failureAt, isLoggedOut } from './server-answers.ts';

/** A request begins a move, or changes the one that the bot makes. */
export type MoveRequest = 'begin' | 'cancel' | 'redirect';

/** Of no bot: a server answers it without logging anything in. */
const NO_TOKEN = '1:none';
const ASK_MS = 10_000;
/** A server that has not said for so long if it logged the bot out may be given up. */
const GIVES_UP_AFTER_MS = 120_000;

/** The effects of a move of the bot to this server, and the reasons against it. Throws FlotillaError('bad_request') for an unknown server. */
export async function planMove(
  deps: AskDeps,
  bot: Bot,
  to: string,
  active: BotMove | null,
): Promise<{ request: MoveRequest; plan: MovePlan }> {
  const at = serverOfName(deps, to, bot.environment);
  if (active === null && to === bot.upstream) throw refusedInput('upstream', 'is where the bot is');
  const request = requestOf(bot, to, active);
  const plan: MovePlan = {
    ...{ from: bot.upstream, to, steps: [], pending_update_count: null, target_answers: true },
    ...{ refused_for_s: 0, obstacles: obstaclesOfMove(deps, to, active, request), notes: [] },
  };
  if (request !== 'cancel') {
    if (request === 'begin') await lookAtPresent(deps, bot, plan);
    if (active !== null) plan.notes.push(...notesOfRedirect(bot, to, active));
    await lookAtNext(deps, bot, at, plan);
  }
  plan.steps = stepsOf(bot, request, plan);
  return { request, plan };
}

function requestOf(bot: Bot, to: string, active: BotMove | null): MoveRequest {
  if (active === null) return 'begin';
  return active.left_at === null && to === bot.upstream ? 'cancel' : 'redirect';
}

function obstaclesOfMove(deps: AskDeps, to: string, active: BotMove | null, request: MoveRequest): string[] {
  if (active === null) return [];
  const { to_upstream: present, step } = active;
  const leavesForMs = active.leaves_at === null ? 0 : deps.clock.nowMs() - active.leaves_at.getTime();
  if (step === 'log_out' && request === 'redirect' && leavesForMs > GIVES_UP_AFTER_MS) return [];
  if (to === present) return [`The bot moves to ${serverWords({ upstream: to })} already`];
  if (step === 'start') return [`The bot arrives at ${serverWords({ upstream: present })} now: move it from there`];
  if (step === 'log_in') return [];
  if (active.leaves_at !== null) {
    return [
      'The bot is being logged out: ask again in a few seconds. After two minutes, it may go on without its answer',
    ];
  }
  if (request === 'cancel') return [];
  return [
    `The bot moves to ${serverWords({ upstream: present })}: cancel that first, with the name of its present server`,
  ];
}

/** Says what is lost with a server that does not confirm that it logged the bot out, or that may have logged it in. */
function notesOfRedirect(bot: Bot, to: string, { step, to_upstream: present, logs_out_of: former }: BotMove): string[] {
  const here = serverWords(bot);
  if (step === 'log_out') {
    return [
      `Nobody knows if ${here} logged the bot out: what waits there may be lost, and if it comes back, call logOut there once more`,
    ];
  }
  const abandoned = former ?? present;
  return step !== 'log_in' || abandoned === to
    ? []
    : [`The bot is logged out at ${serverWords({ upstream: abandoned })} first`];
}

async function lookAtPresent(deps: AskDeps, bot: Bot, plan: MovePlan): Promise<void> {
  const here = serverWords(bot);
  const info = await deps.duringMoves.call(bot.token, 'getWebhookInfo', {}, { at: bot, timeoutMs: ASK_MS });
  if (info.outcome !== 'ok') {
    if (isLoggedOut(info)) plan.notes.push(`The bot is logged out at ${here} already`);
    else plan.notes.push(`The move waits at its beginning, since ${failureAt(bot.upstream, info)}`);
    return;
  }
  const waiting = readObject({ info: info.result }, 'info')?.pending_update_count;
  plan.pending_update_count = typeof waiting === 'number' ? waiting : null;
  const host = await foreignWebhookHost({ ...deps, platform: deps.duringMoves }, bot);
  if (host !== null) plan.obstacles.push(`${foreignWebhookText(host)}: take it back first (POST /api/bots/take-back)`);
  if (bot.disabled && waiting !== 0) {
    plan.obstacles.push(`The bot is disabled, and what waits at ${here} would be lost: enable it first`);
  }
  if (await isPolledElsewhere(deps, bot)) {
    plan.obstacles.push('Something else polls the bot with its token, and would log it in again: stop that first');
  }
}

/** The platform answers 409 to one of two that poll. */
async function isPolledElsewhere({ redis }: AskDeps, bot: Bot): Promise<boolean> {
  const found = await redis.commands.hmget(botKeys(bot.id).state, 'pollErr', 'pollErrAt', 'pollOkAt');
  const [reason, failedAt, okAt] = found;
  return /other getUpdates request/.test(reason ?? '') && Number(failedAt ?? 0) >= Number(okAt ?? 0);
}

async function lookAtNext(deps: AskDeps, bot: Bot, at: AtServer, plan: MovePlan): Promise<void> {
  const there = serverWords({ upstream: plan.to });
  const answer = await deps.duringMoves.call(NO_TOKEN, 'getMe', {}, { at, timeoutMs: ASK_MS });
  plan.target_answers = answer.outcome === 'ok' || answer.outcome === 'refused';
  if (answer.outcome !== 'ok' && !plan.target_answers) {
    plan.obstacles.push(`${failureAt(plan.to, answer)}, and the bot could not come back for ten minutes`);
  }
  if (bot.webhook_mode && baseForPushes(deps, at) === null) {
    plan.obstacles.push(`${there} could not push, since it has no webhook_url, and there is no PUBLIC_URL`);
  }
  plan.refused_for_s = await botMoveStore(deps.db).refusalLeftS(bot.id, plan.to);
  if (plan.refused_for_s > 0) {
    plan.notes.push(`The bot left ${there} less than ten minutes ago: if that is the cloud, it refuses it so long`);
  }
  plan.notes.push(`Whoever else uses the token must call ${there} from then on, or Flotilla`);
}

function stepsOf(bot: Bot, request: MoveRequest, plan: MovePlan): MovePlan['steps'] {
  const [here, there] = [serverWords(bot), serverWords({ upstream: plan.to })];
  const waiting = plan.pending_update_count;
  const begins = bot.disabled ? 'nothing is taken in, since the bot is disabled' : `${intakeOf(bot)} begins`;
  const start = { step: 'start', text: `${begins} at ${there}` } as const;
  if (request === 'cancel') return [start];
  const refuses = plan.refused_for_s > 0 ? `, which may refuse it for ${plan.refused_for_s} s` : '';
  const logIn = { step: 'log_in', text: `${there} is asked until it knows the bot${refuses}` } as const;
  if (request === 'redirect') return [logIn, start];
  return [
    { step: 'drain', text: drainText(waiting, here) },
    { step: 'log_out', text: `the bot is logged out at ${here}, and what it sends waits` },
    logIn,
    start,
  ];
}

function drainText(waiting: number | null, here: string): string {
  if (waiting === 0) return `no updates wait at ${here}; what still comes is taken in`;
  if (waiting === 1) return `1 update that waits at ${here} is taken in`;
  return `${waiting ?? 'all'} updates that wait at ${here} are taken in`;
}

function intakeOf(bot: Bot): string {
  return bot.webhook_mode ? 'the webhook' : 'polling';
}
