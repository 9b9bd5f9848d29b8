import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Refusal, sendAnswer, sendEmpty } from './answer.ts';
import { captureCalls } from './capture.ts';
import { fileDownload } from './file-download.ts';
import { framingFault } from './framing-fault.ts';
import { handleMethod } from './handle-method.ts';
import { handleUnnamed } from './handle-unnamed.ts';
import { deleteWebhook } from './intercept/delete-webhook.ts';
import { getUpdates } from './intercept/get-updates.ts';
import { getWebhookInfo } from './intercept/get-webhook-info.ts';
import { setWebhook } from './intercept/set-webhook.ts';
import { parseBotPath } from './parse-bot-path.ts';
import type { ProxyDeps } from './proxy-deps.ts';
import { proxyMetrics } from './proxy-metrics.ts';
import { NOT_FOUND, OTHER_HOST } from './refusals.ts';
import type { RunningProxy } from './running-proxy.ts';
import { traceCall } from './trace-call.ts';
import { connectUpstream } from './upstream.ts';

export type BotApiProxy = {
  /** Takes a request whose path `isBotApiPath` knows; no body parser may have run before it. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** For when the server is drained: waits up to 5 s for what was captured, and lets go of the platform. */
  stop(): Promise<void>;
};

const DRAIN_MS = 5000;
const POLL_ERROR_DELAY_MS = 1000;

/** The Bot API as bot programs see it: a few methods answered here, everything else streamed to the platform. */
export function botApiProxy(deps: ProxyDeps): BotApiProxy {
  const proxy: RunningProxy = {
    deps,
    upstream: connectUpstream(deps.proxy),
    capture: captureCalls(deps),
    metrics: proxyMetrics(deps.metrics),
    intercepts: new Map([
      ['setwebhook', setWebhook],
      ['deletewebhook', deleteWebhook],
      ['getwebhookinfo', getWebhookInfo],
      ['getupdates', getUpdates()],
    ]),
    open: new Set(),
    pollErrorDelayMs: deps.proxy.pollErrorDelayMs ?? POLL_ERROR_DELAY_MS,
  };
  deps.stopping.addEventListener('abort', () => {
    for (const call of proxy.open) call.abort();
  });
  return {
    handle: (req, res) => handle(proxy, req, res),
    stop: async () => {
      const deadline = new AbortController();
      await Promise.race([proxy.capture.drain(), delay(DRAIN_MS, undefined, deadline).catch(() => undefined)]);
      deadline.abort();
      await proxy.upstream.dispatcher.destroy();
    },
  };
}

function handle(proxy: RunningProxy, req: IncomingMessage, res: ServerResponse): void {
  const begunAtMs = performance.now();
  const fault = framingFault(req);
  if (fault !== null) {
    sendEmpty(res, fault);
    proxy.metrics.call('refused', null, fault, begunAtMs);
    return;
  }
  const path = parseBotPath(req.url ?? '', proxy.deps.proxy.prefix);
  if (path === null || path.kind === 'refused') {
    refuse(proxy, res, path?.refusal ?? NOT_FOUND, begunAtMs);
    return;
  }
  if (proxy.deps.proxyHost?.isAskedBy(req) === false) {
    const isPoll = path.kind === 'method' && path.method === 'getupdates';
    if (!isPoll) refuse(proxy, res, OTHER_HOST, begunAtMs);
    // Some programs ask again at once, whatever the error is.
    else setTimeout(refuse, proxy.pollErrorDelayMs, proxy, res, OTHER_HOST, begunAtMs);
    return;
  }
  if (proxy.deps.tracing) traceCall(proxy.deps, req, res, path);
  if (path.kind === 'file') fileDownload(proxy, req, res, path);
  else {
    const call = { req, res, path, method: path.method, begunAtMs, whole: null };
    if (path.method === '') void handleUnnamed(proxy, call);
    else handleMethod(proxy, call);
  }
}

/** Refuses what names no method. */
function refuse(proxy: RunningProxy, res: ServerResponse, refusal: Refusal, begunAtMs: number): void {
  sendAnswer(res, refusal);
  proxy.metrics.call('refused', null, refusal.code, begunAtMs);
}
