import { setTimeout as delay } from 'node:timers/promises';
import {
  type BotApiAnswer,
  describeError,
  POLL_ERROR_DELAY_MS,
  type Refusal,
  sendAnswer,
  sendEmpty,
} from './answer.ts';
import { type AsProgram, passThrough, type Tee } from './pass-through.ts';
import type { MethodCall, RunningProxy } from './running-proxy.ts';

/** Only GET and POST are calls. Other methods are refused as the platform does, and never passed on. */
export function isVerbOfCalls(proxy: RunningProxy, { req, res, begunAtMs }: MethodCall): boolean {
  if (req.method === 'GET' || req.method === 'POST') return true;
  sendEmpty(res, 501);
  proxy.metrics.call('refused', null, 501, begunAtMs);
  return false;
}

/** Streams a call to the platform. `asProgram` changes what a program's token needs changed. */
export function pass(proxy: RunningProxy, call: MethodCall, tee: Tee | null, asProgram: AsProgram | null = null): void {
  const kind = tee === null ? 'passed' : 'captured';
  passThrough(proxy.upstream, call.req, call.res, {
    path: asProgram?.path ?? call.path.upstreamPath,
    tee,
    asProgram,
    body: call.whole === null ? null : call.whole.bytes,
    errorDelayMs: call.method === 'getupdates' ? POLL_ERROR_DELAY_MS : 0,
    onDone: (status) => proxy.metrics.call(kind, call.method, status, call.begunAtMs),
  });
}

export function refuse(proxy: RunningProxy, call: MethodCall, refusal: Refusal): void {
  if (call.method !== 'getupdates') finish(proxy, call, refusal);
  else void delay(POLL_ERROR_DELAY_MS).then(() => finish(proxy, call, refusal));
}

export function fail(proxy: RunningProxy, call: MethodCall, error: unknown): void {
  refuse(proxy, call, describeError(proxy.context.log, error));
}

export function finish(proxy: RunningProxy, call: MethodCall, answer: BotApiAnswer): void {
  sendAnswer(call.res, answer);
  if (answer.ok) proxy.metrics.call('intercepted', call.method, 200, call.begunAtMs);
  else proxy.metrics.call('refused', call.method, answer.code, call.begunAtMs);
}
