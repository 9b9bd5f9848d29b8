import { type SharedLimiter, sharedLimiter } from '@flotilla/domain/lanes/shared-limiter.ts';
import { type BackendConnections, backendConnections } from '@flotilla/domain/push/backend-connections.ts';
import { openService, type Service, type ServiceOptions } from '@flotilla/domain/startup/open-service.ts';
import { type ChannelWaiters, channelWaiters } from '@flotilla/redis/channel-waiters.ts';
import { channels } from '@flotilla/redis/keys.ts';
import { measurePlatform } from '@flotilla/telegram/measure-platform.ts';
import { type PlatformClient, platformClient } from '@flotilla/telegram/platform-client.ts';
import { type PollingClient, pollingClient } from '@flotilla/telegram/polling-client.ts';
import type { WorkerConfig } from './config.ts';
import { type WorkerMetrics, workerMetrics } from './worker-metrics.ts';

/** Everything a worker's turns and upkeep work with; built once, passed first, never global. */
export type WorkerContext = Service & {
  config: WorkerConfig;
  platform: PlatformClient;
  pollingClient: PollingClient;
  /** Push turns that run here, told of what is new for them. */
  pushable: ChannelWaiters;
  backends: BackendConnections;
  /** Requests to backends, over all turns of this process. */
  requestLimiter: SharedLimiter;
  /** Turns that may await their bot's next update instead of ending. */
  awaitingTurns: SharedLimiter;
  measure: WorkerMetrics;
};

const REQUESTS_AT_ONCE = 4000;
/** Well below the push turns a worker runs at once, so that these keep nobody waiting. */
const AWAITING_TURNS = 500;

/** Opens what a worker needs; rejects when Redis cannot be reached and is not waited for. */
export async function createWorkerContext(config: WorkerConfig, options: ServiceOptions = {}): Promise<WorkerContext> {
  const service = await openService({ name: 'worker', roles: config.roles }, config, options);
  const { redis, directory, metrics, backendPolicy, onClose } = service;
  const measured = measurePlatform(metrics);
  const polling = measured.polling(pollingClient({ apiUrl: config.platformUrl }));
  onClose(polling.close);
  const backends = backendConnections(backendPolicy);
  onClose(backends.close);
  directory.onChange((botId) => {
    if (directory.ready()) backends.changed(botId, directory.byId(botId));
  });
  const pushable = channelWaiters(redis, channels.pushable);
  onClose(pushable.close);
  const requestLimiter = sharedLimiter(REQUESTS_AT_ONCE);
  return {
    ...service,
    config,
    platform: measured.client(platformClient({ apiUrl: config.platformUrl })),
    pollingClient: polling,
    pushable,
    backends,
    requestLimiter,
    awaitingTurns: sharedLimiter(AWAITING_TURNS),
    measure: workerMetrics(metrics, requestLimiter),
  };
}
