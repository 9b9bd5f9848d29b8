import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import type { BackendPolicy } from '@flotilla/domain/backend-policy/backend-policy.ts';
import { followOwnEndpoints, type OwnEndpoints } from '@flotilla/domain/backend-policy/own-endpoints.ts';
import { storeEndpoints } from '@flotilla/domain/backend-policy/store-endpoints.ts';
import type { BotDirectory } from '@flotilla/domain/bots/bot-directory.ts';
import { followDirectory } from '@flotilla/domain/bots/follow-directory.ts';
import { type SharedLimiter, sharedLimiter } from '@flotilla/domain/lanes/shared-limiter.ts';
import { type BackendConnections, backendConnections } from '@flotilla/domain/push/backend-connections.ts';
import { type CallBuffer, callBuffer } from '@flotilla/domain/update-log/call-buffer.ts';
import { type IdReserve, reserveIds } from '@flotilla/domain/update-log/reserve-ids.ts';
import { type MemoryWatch, watchMemory } from '@flotilla/domain/update-log/watch-memory.ts';
import { type ChannelWaiters, channelWaiters } from '@flotilla/redis/channel-waiters.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import { measureCommands } from '@flotilla/redis/measure-commands.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { type Clock, systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger, type Logger } from '@flotilla/runtime/logger.ts';
import { createMetrics, type Metrics } from '@flotilla/runtime/metrics.ts';
import { openTracing } from '@flotilla/runtime/open-tracing.ts';
import { describeProcess } from '@flotilla/runtime/process-metrics.ts';
import { type SecretBox, secretBox } from '@flotilla/runtime/secret-box.ts';
import type { Tracing } from '@flotilla/runtime/tracing.ts';
import type { Patience } from '@flotilla/runtime/until-available.ts';
import { measurePlatform } from '@flotilla/telegram/measure-platform.ts';
import { type PlatformClient, platformClient } from '@flotilla/telegram/platform-client.ts';
import { type PollingClient, pollingClient } from '@flotilla/telegram/polling-client.ts';
import type { WorkerConfig } from './config.ts';
import { type WorkerMetrics, workerMetrics } from './worker-metrics.ts';

/** Everything a worker process holds, wired once. */
export type WorkerContext = {
  config: WorkerConfig;
  db: Database;
  redis: RedisHandles;
  memory: MemoryWatch;
  secrets: SecretBox;
  platform: PlatformClient;
  pollingClient: PollingClient;
  directory: BotDirectory;
  turns: { polling: TurnQueue; push: TurnQueue; rules: TurnQueue; history: TurnQueue };
  /** What bots did through this process, on its way to the history. */
  calls: CallBuffer;
  idReserve: IdReserve;
  /** Push turns that run here, told of what is new for them. */
  pushable: ChannelWaiters;
  backends: BackendConnections;
  /** Requests to backends, over all turns of this process. */
  requestLimiter: SharedLimiter;
  /** Turns that may await their bot's next update instead of ending. */
  awaitingTurns: SharedLimiter;
  backendPolicy: BackendPolicy;
  /** Where we and our stores listen. */
  endpoints: OwnEndpoints;
  publicUrl: string | null;
  /** Null where it is off. */
  tracing: Tracing | null;
  metrics: Metrics;
  measure: WorkerMetrics;
  clock: Clock;
  log: Logger;
  close(): Promise<void>;
};

const REQUESTS_AT_ONCE = 4000;
/** Well below the push turns a worker runs at once, so that these keep nobody waiting. */
const AWAITING_TURNS = 500;

/** Connects to what a worker needs; rejects when Redis cannot be reached, or no patience is left. */
export async function createWorkerContext(
  config: WorkerConfig,
  log: Logger = createLogger({ name: 'worker', level: config.logLevel }),
  { metrics = createMetrics({ processMetrics: true }), patience }: { metrics?: Metrics; patience?: Patience } = {},
): Promise<WorkerContext> {
  describeProcess(metrics, 'worker', config.roles);
  const measured = measurePlatform(metrics);
  const db = connectDatabase({ ...config.database, role: 'worker', log, metrics });
  const redis = await connectRedis({ url: config.redisUrl, log, ...(patience ? { patience } : {}) });
  measureCommands(metrics, redis);
  const memory = await watchMemory({ redis, limitBytes: config.redisMemoryLimit, metrics, log });
  const secrets = secretBox(config.encryptionKey);
  const tracing = await openTracing(config.tracing, { name: 'flotilla-worker', log });
  const directory = await followDirectory({ redis, secrets, log });
  const turns = {
    polling: turnQueue(redis, 'polling'),
    push: turnQueue(redis, 'push'),
    rules: turnQueue(redis, 'rules'),
    history: turnQueue(redis, 'history'),
  };
  const idReserve = reserveIds({ db, redis, log });
  const calls = callBuffer({ redis, turns, clock: systemClock, memory, directory, log, metrics });
  const pushable = channelWaiters(redis, channels.pushable);
  const endpoints = await followOwnEndpoints(
    { redis, clock: systemClock },
    storeEndpoints({ database: config.database.url, redis: config.redisUrl, platform: config.platformUrl }),
  );
  const backendPolicy = { allowedCidrs: config.backendAllowedCidrs, ownAt: endpoints.ownAt };
  const backends = backendConnections(backendPolicy);
  directory.onChange((botId) => {
    if (directory.ready()) backends.changed(botId, directory.byId(botId));
  });
  const requestLimiter = sharedLimiter(REQUESTS_AT_ONCE);
  const polling = measured.polling(pollingClient({ apiUrl: config.platformUrl }));
  return {
    config,
    db,
    redis,
    memory,
    secrets,
    platform: measured.client(platformClient({ apiUrl: config.platformUrl })),
    pollingClient: polling,
    directory,
    turns,
    calls,
    idReserve,
    pushable,
    backends,
    requestLimiter,
    awaitingTurns: sharedLimiter(AWAITING_TURNS),
    backendPolicy,
    endpoints,
    publicUrl: config.publicUrl,
    tracing,
    metrics,
    measure: workerMetrics(metrics, requestLimiter),
    clock: systemClock,
    log,
    close: async () => {
      const flushed = tracing?.close();
      calls.close();
      idReserve.close();
      memory.close();
      directory.close();
      pushable.close();
      await Promise.allSettled([endpoints.close(), ...Object.values(turns).map((queue) => queue.close())]);
      await backends.close();
      await polling.close();
      await redis.close();
      await db.destroy();
      await flushed;
    },
  };
}
