import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { endWithAnswer, incomingTraceparent } from '../http/observe-request.ts';
import { NOT_FOUND, OTHER_HOST, POLL_ERROR_DELAY_MS, sendEmpty } from './answer.ts';
import { type RunningProxy, refuseRequest } from './call.ts';
import { callCapture } from './capture.ts';
import { decide, decideUnnamed } from './decide.ts';
import { downloadFile } from './files.ts';
import { heldCalls } from './flood/held-calls.ts';
import { recoveringChats } from './flood/recovering-chats.ts';
import { sharedPace } from './flood/shared-pace.ts';
import { forgetHead, framingFault } from './headers.ts';
import { getUpdates } from './intercept/get-updates.ts';
import { deleteWebhook, getWebhookInfo, setWebhook } from './intercept/webhook.ts';
import { proxyMetrics } from './metrics.ts';
import { type BotPath, parseBotPath } from './path.ts';
import { connectUpstream, type PlatformTimeouts } from './upstream.ts';

export type BotApiProxy = {
  /** Takes a request whose path `isBotApiPath` knows; no body parser may have run before it. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** For a drained server. Waits up to 5 s for captured calls and calls with a key to be stored, then closes the upstream connections. */
  stop(): Promise<void>;
};

const DRAIN_MS = 5000;
/** For what is to be said of the calls that the end breaks off. */
const SETTLE_MS = 1000;

/** The Bot API as clients see it: a few methods answered here, everything else streamed to the platform. */
export function botApiProxy(context: Context, timeouts: Partial<PlatformTimeouts> = {}): BotApiProxy {
  const proxy: RunningProxy = {
    context,
    upstreams: context.upstreams.clients(
      (target) => connectUpstream(target, timeouts),
      ({ dispatcher }) => dispatcher.destroy(),
    ),
    capture: callCapture(context),
    metrics: proxyMetrics(context.metrics),
    intercepts: new Map([
      ['setwebhook', setWebhook],
      ['deletewebhook', deleteWebhook],
      ['getwebhookinfo', getWebhookInfo],
      ['getupdates', getUpdates()],
    ]),
    held: heldCalls(context.metrics),
    recovering: recoveringChats(context.floods),
    pace: sharedPace(context),
    open: new Set(),
  };
  context.stopping.addEventListener('abort', () => {
    for (const call of proxy.open) call.abort();
  });
  return {
    handle: (req, res) => handle(proxy, req, res),
    stop: async () => {
      await withinMs(DRAIN_MS, Promise.all([proxy.capture.drain(), context.idempotency.drain()]));
      proxy.recovering.close();
      proxy.pace.close();
      await proxy.upstreams.close();
      await withinMs(SETTLE_MS, context.idempotency.drain());
    },
  };
}

async function withinMs(limitMs: number, work: Promise<unknown>): Promise<void> {
  const deadline = new AbortController();
  await Promise.race([work, delay(limitMs, undefined, deadline).catch(() => undefined)]);
  deadline.abort();
}

function handle(proxy: RunningProxy, req: IncomingMessage, res: ServerResponse): void {
  const begunAtMs = performance.now();
  const fault = framingFault(req);
  if (fault !== null) {
    sendEmpty(res, fault);
    proxy.metrics.call('refused', null, fault, begunAtMs);
    return;
  }
  const { context } = proxy;
  const path = parseBotPath(req.url ?? '', context.proxy.prefix);
  if (path === null || path.kind === 'refused') {
    refuseRequest(proxy, res, path?.refusal ?? NOT_FOUND, begunAtMs);
    return;
  }
  if (context.proxyHost?.isAskedBy(req) === false) {
    const isPoll = path.kind === 'method' && path.method === 'getupdates';
    if (isPoll) {
      forgetHead(req);
      setTimeout(refuseRequest, POLL_ERROR_DELAY_MS, proxy, res, OTHER_HOST, begunAtMs);
    } else refuseRequest(proxy, res, OTHER_HOST, begunAtMs);
    return;
  }
  if (context.tracing !== null) traceCall(context, req, res, path);
  if (path.kind === 'file') downloadFile(proxy, req, res, path);
  else {
    const call = { req, res, path, method: path.method, begunAtMs, program: null, whole: null };
    if (path.method === '') void decideUnnamed(proxy, call);
    else decide(proxy, call);
  }
}

/** The form of a method name, so that a token in its place is not taken for one. */
const METHOD = /^[a-z]{1,40}$/;

/**
 * Records the call in the trace that the client began, or in a new one. The client's own headers go upstream
 * unchanged.
 */
function traceCall(
  { tracing, directory }: Pick<Context, 'tracing' | 'directory'>,
  req: IncomingMessage,
  res: ServerResponse,
  path: Exclude<BotPath, { kind: 'refused' }>,
): void {
  const bot = directory.ready() ? directory.byToken(path.token) : undefined;
  const method = path.kind === 'file' ? 'file' : METHOD.test(path.method) ? path.method : 'other';
  const span = tracing?.start(`bot api ${method}`, {
    kind: 'server',
    parent: incomingTraceparent(req.headers),
    attributes: bot === undefined ? {} : { 'flotilla.bot_id': bot.id },
  });
  if (span) endWithAnswer(span, res);
}
