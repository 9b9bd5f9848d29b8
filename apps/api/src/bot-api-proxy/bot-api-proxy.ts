import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { sendAnswer, sendEmpty } from './answer.ts';
import { captureCalls } from './capture.ts';
import { fileDownload } from './file-download.ts';
import { framingFault } from './framing-fault.ts';
import { handleMethod } from './handle-method.ts';
import { deleteWebhook } from './intercept/delete-webhook.ts';
import { getUpdates } from './intercept/get-updates.ts';
import { getWebhookInfo } from './intercept/get-webhook-info.ts';
import { setWebhook } from './intercept/set-webhook.ts';
import { namedMethod } from './named-method.ts';
import { parseBotPath } from './parse-bot-path.ts';
import type { ProxyDeps } from './proxy-deps.ts';
import { proxyMetrics } from './proxy-metrics.ts';
import { NOT_FOUND, TOO_LARGE } from './refusals.ts';
import type { MethodCall, RunningProxy } from './running-proxy.ts';
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
  const fault = framingFault(req);
  const path = parseBotPath(req.url ?? '', proxy.deps.proxy.prefix);
  if (path !== null && proxy.deps.tracing) traceCall(proxy.deps, req, res, path);
  if (fault !== null || path === null) {
    if (fault !== null) sendEmpty(res, fault);
    else sendAnswer(res, NOT_FOUND);
    proxy.metrics.call('refused', null, fault ?? NOT_FOUND.code, performance.now());
  } else if (path.kind === 'file') fileDownload(proxy, req, res, path);
  else {
    const call = { req, res, path, method: path.method, begunAtMs: performance.now(), whole: null };
    if (path.method === '') void handleUnnamed(proxy, call);
    else handleMethod(proxy, call);
  }
}

async function handleUnnamed(proxy: RunningProxy, call: MethodCall): Promise<void> {
  const named = await namedMethod(call.req, call.path.query);
  if (named.outcome === 'too-large') {
    sendAnswer(call.res, TOO_LARGE);
    proxy.metrics.call('refused', null, TOO_LARGE.code, call.begunAtMs);
  } else if (named.outcome === 'named') handleMethod(proxy, { ...call, method: named.method, whole: named.whole });
}
