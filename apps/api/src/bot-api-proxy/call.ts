import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ActiveProgram } from '@flotilla/domain/fleet/bots/active-program.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import type { ServerClients } from '@flotilla/domain/fleet/upstreams/upstreams.ts';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';
import { capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import type { Parameters } from '@flotilla/telegram/parameters/parameters.ts';
import type { Context } from '../context.ts';
import { identify } from '../http/observe-request.ts';
import {
  type BotApiAnswer,
  describeError,
  POLL_ERROR_DELAY_MS,
  type Refusal,
  sendAnswer,
  sendEmpty,
} from './answer.ts';
import type { Capture } from './capture.ts';
import type { HeldCalls } from './flood/held-calls.ts';
import { seenCall } from './flood/learn-of-flood.ts';
import type { RecoveringChats } from './flood/recovering-chats.ts';
import type { SharedPace } from './flood/shared-pace.ts';
import type { AsProgram, Keyed, Tee } from './forward.ts';
import { forgetHead } from './headers.ts';
import type { ProxyMetrics } from './metrics.ts';
import { passThrough } from './pass-through.ts';
import type { MethodPath } from './path.ts';
import type { Upstream } from './upstream.ts';

/** The state that lives as long as the proxy. */
export type RunningProxy = {
  context: Context;
  /** The server of each bot; that of TELEGRAM_API_URL for strangers. */
  upstreams: ServerClients<Upstream>;
  capture: Capture;
  metrics: ProxyMetrics;
  /** The handlers of calls of registered bots that we answer ourselves, by lower-case method. */
  intercepts: ReadonlyMap<string, Intercept>;
  /** Calls that wait until the platform takes them again. */
  held: HeldCalls;
  recovering: RecoveringChats;
  pace: SharedPace;
  /** The calls that we are answering. They are aborted when their client leaves or the process stops. */
  open: Set<AbortController>;
};

/** One request to `/bot<token>/…`. */
export type MethodCall = {
  req: IncomingMessage;
  res: ServerResponse;
  path: MethodPath;
  /** In lower case; '' if neither path nor parameters name one. */
  method: string;
  begunAtMs: number;
  /** The program whose token it carries; null for the bot's own token. */
  program: ActiveProgram | null;
  /** Set if the method had to be looked up in the body. */
  whole: WholeBody | null;
  /** It took a time of the bot's pace. */
  isPaced?: true;
};

/** A body that was read before the call was decided on; `release` gives its bytes back to the budget. */
export type WholeBody = { bytes: Buffer; release: () => void };

/** A call that we answer ourselves, once its body is read. */
export type ReadCall = {
  parameters: Parameters;
  /** The client, as the audit log names it. */
  by: Actor;
  /** Who polls, for people: '' for a call that is no poll. */
  polledBy: string;
  /** Aborts when the client goes away or the process stops. */
  signal: AbortSignal;
};

/** The same for a registered bot. */
export type InterceptedCall = ReadCall & { bot: Bot };

export type Intercept = (context: Context, call: InterceptedCall) => Promise<BotApiAnswer>;

/** The caller for the audit log. Everybody who has the bot's token is the bot; only the address tells them apart. */
export function botActor({ context }: RunningProxy, { req, program }: MethodCall): Extract<Actor, { kind: 'bot' }> {
  const named = program === null ? {} : { program: { id: program.id, name: program.name } };
  return { kind: 'bot', address: context.clientAddress(req), ...named };
}

/** The same for what may leave an entry of the audit log: whoever reads its request makes the answer tell the id. */
export function auditedActor(proxy: RunningProxy, call: MethodCall): ReturnType<typeof botActor> {
  const { res } = call;
  return {
    ...botActor(proxy, call),
    get request() {
      return identify(res);
    },
  };
}

/** Only GET and POST are calls. Other methods are refused as the platform does, and never passed on. */
export function isVerbOfCalls(proxy: RunningProxy, { req, res, begunAtMs }: MethodCall): boolean {
  if (req.method === 'GET' || req.method === 'POST') return true;
  sendEmpty(res, 501);
  proxy.metrics.call('refused', null, 501, begunAtMs);
  return false;
}

type Passing = { tee: Tee | null; asProgram?: AsProgram | null; keyed?: Keyed | null };

/**
 * Streams a call to the platform. `bot` is null for a stranger; `asProgram` changes what a program's token needs changed, `keyed`
 * follows a call with an Idempotency-Key.
 */
export function pass(
  proxy: RunningProxy,
  call: MethodCall,
  bot: Pick<Bot, 'id' | 'upstream' | 'environment'> | null,
  { tee, asProgram = null, keyed = null }: Passing,
): void {
  const isKept =
    tee !== null && tee.replacesRefusal === undefined && capturedMethod(call.method)?.effect !== 'identity';
  const kind = isKept ? 'captured' : 'passed';
  passThrough(proxy.upstreams.of(bot), call.req, call.res, {
    path: asProgram?.path ?? call.path.upstreamPath,
    botId: bot?.id ?? null,
    tee,
    asProgram,
    seen: bot === null ? null : seenCall(proxy.context.floods, bot.id, call),
    keyed,
    body: call.whole === null ? null : call.whole.bytes,
    errorDelayMs: call.method === 'getupdates' ? POLL_ERROR_DELAY_MS : 0,
    onDone: (status) => proxy.metrics.call(kind, call.method, status, call.begunAtMs),
  });
}

export function refuse(proxy: RunningProxy, call: MethodCall, refusal: Refusal): void {
  if (call.method === 'getupdates') refusePoll(proxy, call, refusal);
  else finish(proxy, call, refusal);
}

function refusePoll(proxy: RunningProxy, { req, res, method, begunAtMs }: MethodCall, refusal: Refusal): void {
  forgetHead(req);
  void delay(POLL_ERROR_DELAY_MS).then(() => finish(proxy, { res, method, begunAtMs }, refusal));
}

export function fail(proxy: RunningProxy, call: MethodCall, error: unknown): void {
  refuse(proxy, call, describeError(proxy.context.log, error));
}

type AnsweredCall = Pick<MethodCall, 'res' | 'method' | 'begunAtMs'>;

export function finish(proxy: RunningProxy, call: AnsweredCall, answer: BotApiAnswer): void {
  sendAnswer(call.res, answer);
  if (answer.ok) proxy.metrics.call('intercepted', call.method, 200, call.begunAtMs);
  else proxy.metrics.call('refused', call.method, answer.code, call.begunAtMs);
}

/** Refuses a request that is not decided on as a call of a method; its metric names none. */
export function refuseRequest(proxy: RunningProxy, res: ServerResponse, refusal: Refusal, begunAtMs: number): void {
  sendAnswer(res, refusal);
  proxy.metrics.call('refused', null, refusal.code, begunAtMs);
}
