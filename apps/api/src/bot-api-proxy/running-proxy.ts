import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '@flotilla/domain/audit/actor.ts';
import type { ActiveProgram } from '@flotilla/domain/bots/active-program.ts';
import type { Context } from '../context.ts';
import { type Refusal, sendAnswer } from './answer.ts';
import type { Capture } from './capture.ts';
import type { Intercept } from './intercept/intercepted-call.ts';
import type { ProxyMetrics } from './metrics.ts';
import type { BotPath } from './path.ts';
import type { Upstream } from './upstream.ts';

/** The state that lives as long as the proxy. */
export type RunningProxy = {
  context: Context;
  upstream: Upstream;
  capture: Capture;
  metrics: ProxyMetrics;
  /** The handlers of calls of registered bots that we answer ourselves, by lower-case method. */
  intercepts: ReadonlyMap<string, Intercept>;
  /** The calls that we are answering. They are aborted when their client leaves or the process stops. */
  open: Set<AbortController>;
};

/** One request to `/bot<token>/…`. */
export type MethodCall = {
  req: IncomingMessage;
  res: ServerResponse;
  path: Extract<BotPath, { kind: 'method' }>;
  /** In lower case; '' if neither path nor parameters name one. */
  method: string;
  begunAtMs: number;
  /** The program whose token it carries; null for the bot's own token. */
  program: ActiveProgram | null;
  /** Set if the method had to be looked up in the body. */
  whole: WholeBody | null;
};

/** A body that was read before the call was decided on; `release` gives its bytes back to the budget. */
export type WholeBody = { bytes: Buffer; release: () => void };

/** The caller for the audit log. Everybody who has the bot's token is the bot; only the address tells them apart. */
export function botActor({ context }: RunningProxy, { req, program }: MethodCall): Extract<Actor, { kind: 'bot' }> {
  const named = program === null ? {} : { program: { id: program.id, name: program.name } };
  return { kind: 'bot', address: context.clientAddress(req), ...named };
}

/** Refuses a request that names no method. */
export function refuseUnnamed(proxy: RunningProxy, res: ServerResponse, refusal: Refusal, begunAtMs: number): void {
  sendAnswer(res, refusal);
  proxy.metrics.call('refused', null, refusal.code, begunAtMs);
}
