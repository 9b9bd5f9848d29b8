import { setTimeout as delay } from 'node:timers/promises';
import { pollAnswer } from '@flotilla/domain/delivery/pull/pulled-updates.ts';
import { readUpdates, THROTTLED_MS } from '@flotilla/domain/delivery/pull/read-updates.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { keepAllowedUpdates } from '@flotilla/domain/fleet/bots/keep-allowed-updates.ts';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';
import { integerParameter, type Parameters } from '@flotilla/telegram/parameters/parameters.ts';
import type { Context } from '../../context.ts';
import { type BotApiAnswer, UNAUTHORIZED } from '../answer.ts';
import type { Intercept } from '../call.ts';
import { storedKinds } from './answer-intercepted.ts';

const DEFAULT_LIMIT = 100;
const MAX_TIMEOUT_S = 50;

type Request = { offset: number; limit: number; timeoutMs: number };
type Poll = Request & { polledBy: string };
/** By bot id: the last poll that was held and not served. */
type HeldPolls = Map<number, { offset: number; begunAtMs: number }>;

/**
 * Serves the updates of a long-polled bot as the platform does, but several clients may poll without conflict. A poll
 * of any other bot is held and then answered empty, because a client that gets its answer at once asks again at once.
 */
export function getUpdates(): Intercept {
  const held: HeldPolls = new Map();
  // A waiting poll keeps its arguments in memory, so it gets only those that it needs.
  return (context, { bot, by, polledBy, parameters, signal }) => {
    const request = { ...readPollRequest(parameters), polledBy };
    const served = bot.long_poll_enabled && !bot.disabled;
    return served ? read(context, by, bot, request, storedKinds(parameters), signal) : hold(held, bot, request, signal);
  };
}

export function readPollRequest(parameters: Parameters): Request {
  const limit = integerParameter(parameters, 'limit', DEFAULT_LIMIT);
  const timeoutS = integerParameter(parameters, 'timeout', 0);
  return {
    offset: integerParameter(parameters, 'offset', 0),
    limit: Math.min(Math.max(limit, 1), DEFAULT_LIMIT),
    timeoutMs: Math.min(Math.max(timeoutS, 0), MAX_TIMEOUT_S) * 1000,
  };
}

function read(
  context: Context,
  by: Actor,
  bot: Bot,
  request: Poll,
  allowedUpdates: string[] | null | undefined,
  signal: AbortSignal,
): Promise<BotApiAnswer> {
  const throttle = request.timeoutMs === 0;
  const reading = readUpdates(context, bot, { ...request, consumer: null, kinds: null, throttle, signal });
  const answered = reading.then((updates): BotApiAnswer => {
    // The bot may have got another token while the poll waited.
    if (hasOtherToken(context, bot)) return UNAUTHORIZED;
    context.apiMetrics.pulled.of('get_updates').inc(updates.count);
    return { ok: true, pieces: pollAnswer(updates) };
  });
  if (allowedUpdates === undefined) return answered;
  // At the same time, because the kinds apply only to updates that come later. Most polls name none.
  return Promise.all([answered, keepAllowedUpdates(context, by, bot, allowedUpdates)]).then(([answer]) => answer);
}

function hasOtherToken({ directory }: Context, { id, token }: Bot): boolean {
  const known = directory.ready() ? directory.byId(id) : undefined;
  return known !== undefined && known.token !== token;
}

async function hold(held: HeldPolls, bot: Bot, request: Request, signal: AbortSignal): Promise<BotApiAnswer> {
  const begunAtMs = performance.now();
  const previous = held.get(bot.id);
  held.set(bot.id, { offset: request.offset, begunAtMs });
  const repeats = previous?.offset === request.offset && begunAtMs - previous.begunAtMs < THROTTLED_MS;
  const waitMs = request.timeoutMs === 0 && repeats ? THROTTLED_MS : request.timeoutMs;
  await delay(waitMs, undefined, { signal }).catch(() => undefined);
  return { ok: true, result: '[]' };
}
