import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Capture } from './capture.ts';
import type { Intercept } from './intercept/intercepted-call.ts';
import type { BotPath } from './parse-bot-path.ts';
import type { ProxyDeps } from './proxy-deps.ts';
import type { ProxyMetrics } from './proxy-metrics.ts';
import type { Upstream } from './upstream.ts';

/** What lives as long as the proxy does. */
export type RunningProxy = {
  deps: ProxyDeps;
  upstream: Upstream;
  capture: Capture;
  metrics: ProxyMetrics;
  /** By lower-case method: the calls of registered bots that we answer ourselves. */
  intercepts: ReadonlyMap<string, Intercept>;
  /** Calls that we are answering; aborted when their client goes or the process stops. */
  open: Set<AbortController>;
  pollErrorDelayMs: number;
};

/** One request to `/bot<token>/…`. */
export type MethodCall = {
  req: IncomingMessage;
  res: ServerResponse;
  path: Extract<BotPath, { kind: 'method' }>;
  /** Lower case; '' when neither path nor parameters name one. */
  method: string;
  begunAtMs: number;
  /** Set where the method had to be looked for in the body. */
  whole: WholeBody | null;
};

/** A body that was read before it was known what becomes of its call; `release` gives back what it takes. */
export type WholeBody = { bytes: Buffer; release: () => void };
