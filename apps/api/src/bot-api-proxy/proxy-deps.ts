import type { BotDeps } from '@flotilla/domain/bots/bot-deps.ts';
import type { MeasurePull } from '@flotilla/domain/pull/read-updates.ts';
import type { CallBuffer } from '@flotilla/domain/update-log/call-buffer.ts';
import type { ChannelWaiters } from '@flotilla/redis/channel-waiters.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import type { Tracing } from '@flotilla/runtime/tracing.ts';
import type { ApiMetrics } from '../api-metrics.ts';
import type { BodyBudget } from '../http/body-budget.ts';
import type { ClientAddress } from '../http/client-address.ts';
import type { ProxyHost } from '../http/proxy-host.ts';

export type ProxySettings = {
  /** TELEGRAM_API_URL, without a slash at the end; may carry a path of its own. */
  platformUrl: string;
  /** PROXY_PREFIX; the root answers too. */
  prefix: string;
  unknownBots: 'forward' | 'reject';
  /** AUTO_REGISTER_BOTS: setWebhook registers a token that we do not know. */
  autoRegisterBots: boolean;
  /** How long the platform may be silent before its headers and within its body. [300 s] */
  platformTimeoutMs?: number;
  /** How long the answer to a captured call is waited for once its client has gone. [60 s] */
  readOnMs?: number;
  /** How long an error to getUpdates is held back, since some clients ask again without a pause. [1 s] */
  pollErrorDelayMs?: number;
};

/** What the proxy needs of the process; the context has all of it. */
export type ProxyDeps = BotDeps & {
  calls: CallBuffer;
  waiters: ChannelWaiters;
  metrics: Metrics;
  apiMetrics: Pick<ApiMetrics, 'pulled'>;
  measurePull?: MeasurePull;
  /** Of what is read of requests. */
  bodies: BodyBudget;
  /** Aborts when the process begins to stop: whoever waits for updates is answered then. */
  stopping: AbortSignal;
  proxy: ProxySettings;
  /** The host on which alone the proxy answers. */
  proxyHost?: ProxyHost | null;
  clientAddress: ClientAddress;
  tracing?: Tracing | null;
};
