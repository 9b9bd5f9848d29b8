import { setTimeout as delay } from 'node:timers/promises';
import type { Parameters } from '@flotilla/telegram/parameters/parameters.ts';
import { parseAllowedUpdates } from '@flotilla/telegram/update-kinds.ts';
import { pollerOf } from '../../http/poller.ts';
import { type BotApiAnswer, describeError, POLL_ERROR_DELAY_MS, sendAnswer, sendEmpty } from '../answer.ts';
import { auditedActor, botActor, type MethodCall, type ReadCall, type RunningProxy } from '../call.ts';
import { forgetHead, hasBody } from '../headers.ts';
import { parametersIn, parametersOfQuery, type ReadParameters, readParameters } from '../read-parameters.ts';

/** Reads the parameters of a call, answers it here, and sends the answer. Never rejects. */
export function answerIntercepted(
  proxy: RunningProxy,
  call: MethodCall,
  intercept: (read: ReadCall) => Promise<BotApiAnswer>,
): Promise<void> {
  const { res, method, begunAtMs } = call;
  const open = new AbortController();
  res.on('close', () => {
    // To abort after every answer would cost as much as to answer: it makes an error with its stack.
    if (!res.writableFinished) open.abort();
  });
  proxy.open.add(open);
  if (proxy.context.stopping.aborted) open.abort();
  const answer = answerOf(proxy, call, open.signal, intercept);
  // Without the call, because a poll that waits would keep its path and query in memory.
  return sendWhenAnswered(proxy, { res, method, begunAtMs, open }, answer);
}

type OpenCall = Pick<MethodCall, 'res' | 'method' | 'begunAtMs'> & { open: AbortController };

async function sendWhenAnswered(
  proxy: RunningProxy,
  call: OpenCall,
  answering: Promise<BotApiAnswer | null>,
): Promise<void> {
  const { res, method, begunAtMs, open } = call;
  const isPoll = method === 'getupdates';
  if (isPoll) proxy.metrics.pollBegan();
  try {
    const answer = await answering.catch((error: unknown) => describeError(proxy.context.log, error));
    if (isPoll && answer?.ok === false) {
      forgetHead(res.req);
      await pauseAsPollError(open.signal);
    }
    if (answer === null) return proxy.metrics.call('refused', method, res.writableEnded ? 415 : 499, begunAtMs);
    const status = res.destroyed ? 499 : answer.ok ? 200 : answer.code;
    sendAnswer(res, answer);
    proxy.metrics.call(isPoll ? 'polled' : 'intercepted', method, status, begunAtMs);
  } finally {
    proxy.open.delete(open);
    if (isPoll) proxy.metrics.pollEnded();
  }
}

/** `allowed_updates` as a bot stores it: undefined keeps the stored value, null is the default set. */
export function storedKinds(parameters: Parameters): string[] | null | undefined {
  const wanted = parseAllowedUpdates(parameters.values.get('allowed_updates'));
  if (wanted.kind === 'unchanged') return undefined;
  return wanted.kind === 'default' ? null : wanted.kinds;
}

async function answerOf(
  proxy: RunningProxy,
  call: MethodCall,
  signal: AbortSignal,
  intercept: (read: ReadCall) => Promise<BotApiAnswer>,
): Promise<BotApiAnswer | null> {
  const read = await parametersOfCall(proxy, call);
  if (read.outcome === 'aborted') return null;
  if (read.outcome === 'refused') return read.refusal;
  if (read.outcome === 'unknown-encoding') {
    sendEmpty(call.res, 415);
    return null;
  }
  const isPoll = call.method === 'getupdates';
  // Most polls change nothing, so nobody asks for their request.
  const isAudited = !isPoll || read.parameters.values.has('allowed_updates');
  const by = isAudited ? auditedActor(proxy, call) : botActor(proxy, call);
  const polledBy = isPoll ? pollerOf(by, call.req) : '';
  if (isPoll) {
    read.release();
    forgetHead(call.req);
  }
  // Not awaited, because a waiting poll would keep everything in memory that was read here.
  return intercept({ by, polledBy, parameters: read.parameters, signal });
}

function parametersOfCall(proxy: RunningProxy, call: MethodCall): Promise<ReadParameters> | ReadParameters {
  const { req, path, whole } = call;
  if (whole !== null) {
    call.whole = null;
    return { outcome: 'read', parameters: parametersIn(req, path.query, whole.bytes), release: whole.release };
  }
  if (hasBody(req)) return readParameters(proxy.context.bodies, call);
  return parametersOfQuery(call);
}

async function pauseAsPollError(signal: AbortSignal): Promise<void> {
  await delay(POLL_ERROR_DELAY_MS, undefined, { signal }).catch(() => undefined);
}
