import { setTimeout as delay } from 'node:timers/promises';
import { parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { Sender } from '../http/body-budget.ts';
import { type BotApiAnswer, sendAnswer, sendEmpty } from './answer.ts';
import { botActor } from './bot-actor.ts';
import { describeError } from './describe-error.ts';
import { hasBody } from './framing-fault.ts';
import type { ReadCall } from './intercept/intercepted-call.ts';
import { parametersIn } from './named-in-body.ts';
import { type ReadParameters, readParameters } from './read-parameters.ts';
import type { MethodCall, RunningProxy } from './running-proxy.ts';

/** Reads the call's parameters, has it answered here, and sends the answer. Never rejects. */
export async function answerIntercepted(
  proxy: RunningProxy,
  call: MethodCall,
  sender: Sender,
  intercept: (read: ReadCall) => Promise<BotApiAnswer>,
): Promise<void> {
  const isPoll = call.method === 'getupdates';
  const open = new AbortController();
  call.res.on('close', () => open.abort());
  proxy.open.add(open);
  if (proxy.deps.stopping.aborted) open.abort();
  if (isPoll) proxy.metrics.pollBegan();
  try {
    const answer = await answerOf(proxy, call, sender, intercept, open.signal).catch((error: unknown) =>
      describeError(proxy.deps.log, error),
    );
    if (answer === null)
      return proxy.metrics.call('refused', call.method, call.res.writableEnded ? 415 : 499, call.begunAtMs);
    if (isPoll && !answer.ok) await pauseBefore(proxy, open.signal);
    const status = call.res.destroyed ? 499 : answer.ok ? 200 : answer.code;
    sendAnswer(call.res, answer);
    proxy.metrics.call(isPoll ? 'polled' : 'intercepted', call.method, status, call.begunAtMs);
  } finally {
    proxy.open.delete(open);
    if (isPoll) proxy.metrics.pollEnded();
  }
}

async function answerOf(
  proxy: RunningProxy,
  call: MethodCall,
  sender: Sender,
  intercept: (read: ReadCall) => Promise<BotApiAnswer>,
  signal: AbortSignal,
): Promise<BotApiAnswer | null> {
  const read = await parametersOfCall(proxy, call, sender);
  if (read.outcome === 'aborted') return null;
  if (read.outcome === 'refused') return read.refusal;
  if (read.outcome === 'unknown-encoding') {
    sendEmpty(call.res, 415);
    return null;
  }
  // Not awaited: a poll would hold, while it waits, all that was read here.
  if (call.method === 'getupdates') read.release();
  return intercept({ by: () => botActor(proxy, call), parameters: read.parameters, signal });
}

function parametersOfCall(
  proxy: RunningProxy,
  call: MethodCall,
  sender: Sender,
): Promise<ReadParameters> | ReadParameters {
  const { req, path, whole } = call;
  if (whole !== null) {
    call.whole = null;
    return { outcome: 'read', parameters: parametersIn(req, path.query, whole.bytes), release: whole.release };
  }
  if (hasBody(req)) return readParameters(proxy.deps.bodies, sender, call);
  return { outcome: 'read', parameters: parametersOf(path.query), release: () => undefined };
}

/** Some clients ask again at once whatever the error is. */
async function pauseBefore(proxy: RunningProxy, signal: AbortSignal): Promise<void> {
  await delay(proxy.pollErrorDelayMs, undefined, { signal }).catch(() => undefined);
}
