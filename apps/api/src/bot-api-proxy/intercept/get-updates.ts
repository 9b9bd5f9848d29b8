import { keepAllowedUpdates } from '@flotilla/domain/bots/keep-allowed-updates.ts';
import { readUpdates } from '@flotilla/domain/pull/read-updates.ts';
import { integerParameter, type Parameters } from '@flotilla/telegram/parameters/parameters.ts';
import type { ProxyDeps } from '../proxy-deps.ts';
import type { Intercept, InterceptedCall } from './intercepted-call.ts';
import { storedKinds } from './stored-kinds.ts';

const DEFAULT_LIMIT = 100;
const MAX_TIMEOUT_S = 50;
const FLOOR_MS = 3000;

type Request = { offset: number; limit: number; timeoutMs: number };
/** Per bot, the last poll that was held and not served. */
type HeldPolls = Map<number, { offset: number; begunAtMs: number }>;

/**
 * Serves the buffer of a long-polled bot with the platform's semantics, but for its conflicts: several pollers are
 * welcome. Any other bot's poll is held and answered empty, never at once and again, or its client would spin.
 */
export function getUpdates(): Intercept {
  const held: HeldPolls = new Map();
  return async (deps, call) => {
    const request = readRequest(call.parameters);
    const served = call.bot.longPollEnabled && !call.bot.disabled;
    const updates = served ? await read(deps, call, request) : await hold(held, call, request);
    return { ok: true, result: `[${updates.join(',\n')}]` };
  };
}

function readRequest(parameters: Parameters): Request {
  const limit = integerParameter(parameters, 'limit', DEFAULT_LIMIT);
  const timeoutS = integerParameter(parameters, 'timeout', 0);
  return {
    offset: integerParameter(parameters, 'offset', 0),
    limit: Math.min(Math.max(limit, 1), DEFAULT_LIMIT),
    timeoutMs: Math.min(Math.max(timeoutS, 0), MAX_TIMEOUT_S) * 1000,
  };
}

async function read(deps: ProxyDeps, call: InterceptedCall, request: Request): Promise<string[]> {
  await keepAllowedUpdates(deps, call.bot, storedKinds(call.parameters));
  const throttle = request.timeoutMs === 0;
  const wanted = { ...request, consumer: null, kinds: null, throttle, signal: call.signal };
  const updates = await readUpdates(deps, call.bot, wanted);
  deps.apiMetrics.pulled.of('get_updates').inc(updates.length);
  return updates;
}

async function hold(held: HeldPolls, { bot, signal }: InterceptedCall, request: Request): Promise<string[]> {
  const begunAtMs = performance.now();
  const previous = held.get(bot.id);
  held.set(bot.id, { offset: request.offset, begunAtMs });
  const repeats = previous?.offset === request.offset && begunAtMs - previous.begunAtMs < FLOOR_MS;
  await pause(request.timeoutMs === 0 && repeats ? FLOOR_MS : request.timeoutMs, signal);
  return [];
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish);
  });
}
