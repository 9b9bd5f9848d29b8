import { connectDatabase } from '@flotilla/database/connect.ts';
import type { AccountDeps } from '@flotilla/domain/accounts/account-deps.ts';
import { type CredentialCache, credentialCache } from '@flotilla/domain/accounts/credential-cache.ts';
import { keyUseRecorder } from '@flotilla/domain/accounts/key-use-recorder.ts';
import { followOwnEndpoints, type OwnEndpoints } from '@flotilla/domain/backend-policy/own-endpoints.ts';
import { storeEndpoints } from '@flotilla/domain/backend-policy/store-endpoints.ts';
import type { BotDeps } from '@flotilla/domain/bots/bot-deps.ts';
import { followDirectory } from '@flotilla/domain/bots/follow-directory.ts';
import type { MeasurePull } from '@flotilla/domain/pull/read-updates.ts';
import { type CallBuffer, callBuffer } from '@flotilla/domain/update-log/call-buffer.ts';
import { type IdReserve, reserveIds } from '@flotilla/domain/update-log/reserve-ids.ts';
import { type MemoryWatch, watchMemory } from '@flotilla/domain/update-log/watch-memory.ts';
import { type ChannelWaiters, channelWaiters } from '@flotilla/redis/channel-waiters.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import { measureCommands } from '@flotilla/redis/measure-commands.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger, type Logger } from '@flotilla/runtime/logger.ts';
import { createMetrics, type Metrics } from '@flotilla/runtime/metrics.ts';
import { openTracing } from '@flotilla/runtime/open-tracing.ts';
import { describeProcess } from '@flotilla/runtime/process-metrics.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import type { Tracing } from '@flotilla/runtime/tracing.ts';
import type { Patience } from '@flotilla/runtime/until-available.ts';
import { measurePlatform } from '@flotilla/telegram/measure-platform.ts';
import { platformClient } from '@flotilla/telegram/platform-client.ts';
import { type ApiMetrics, apiMetrics } from './api-metrics.ts';
import { type Authentication, authentication } from './auth/authentication.ts';
import { type SignInLimits, signInLimits } from './auth/sign-in-limits.ts';
import { type CredentialWatch, watchCredentials } from './auth/watch-credentials.ts';
import type { ApiConfig } from './config.ts';
import { type ClientAddress, clientAddress } from './http/client-address.ts';
import { type BodyBudget, bodyBudget } from './http/collect-body.ts';
import { type ProxyHost, proxyHost } from './http/proxy-host.ts';

/** Everything an endpoint or the proxy works with; built once by `createContext`, passed first, never global. */
export interface Context extends BotDeps, AccountDeps {
  config: ApiConfig;
  proxy: ApiConfig['proxy'];
  /** How full Redis is. */
  memory: MemoryWatch;
  turns: BotDeps['turns'] & { rules: TurnQueue; history: TurnQueue };
  /** Where we and our stores listen. */
  endpoints: OwnEndpoints;
  /** What bots did through this process, on its way to the history. */
  calls: CallBuffer;
  idReserve: IdReserve;
  /** Pollers of this process that wait for a bot's next update. */
  waiters: ChannelWaiters;
  credentials: CredentialCache;
  auth: Authentication;
  /** Who waits in this process with a key or a session. */
  credentialWatch: CredentialWatch;
  signInLimits: SignInLimits;
  clientAddress: ClientAddress;
  /** Null where the proxy answers on every host. */
  proxyHost: ProxyHost | null;
  /** Of what is read of requests. */
  bodies: BodyBudget;
  /** Null where it is off. */
  tracing: Tracing | null;
  metrics: Metrics;
  measurePull: MeasurePull;
  apiMetrics: ApiMetrics;
  /** What this process has needed since its start and not had yet: until then REST is not served. */
  startup: { waitsForPostgres: boolean };
  /** Aborts at the first sign of a stop: the process is unready, and serves on until load balancers know. */
  leaving: AbortSignal;
  beginLeaving(): void;
  /** Aborts when nothing new comes any more: whoever waits for updates answers now. */
  stopping: AbortSignal;
  beginStop(): void;
  close(): Promise<void>;
}

/** Connects to what the api needs; rejects when Redis cannot be reached, or no patience is left. */
export async function createContext(
  config: ApiConfig,
  log: Logger = createLogger({ name: 'api', level: config.logLevel }),
  { metrics = createMetrics({ processMetrics: true }), patience }: { metrics?: Metrics; patience?: Patience } = {},
): Promise<Context> {
  const clock = systemClock;
  describeProcess(metrics, 'api', ['api']);
  const db = connectDatabase({ ...config.database, role: 'api', log, metrics });
  const redis = await connectRedis({ url: config.redisUrl, log, ...(patience ? { patience } : {}) });
  measureCommands(metrics, redis);
  const memory = await watchMemory({ redis, limitBytes: config.redisMemoryLimit, metrics, log });
  const secrets = secretBox(config.encryptionKey);
  const tracing = await openTracing(config.tracing, { name: 'flotilla-api', log });
  const directory = await followDirectory({ redis, secrets, log });
  const endpoints = await followOwnEndpoints(
    { redis, clock },
    storeEndpoints({ database: config.database.url, redis: config.redisUrl, platform: config.platformUrl }),
  );
  const turns = {
    polling: turnQueue(redis, 'polling'),
    push: turnQueue(redis, 'push'),
    rules: turnQueue(redis, 'rules'),
    history: turnQueue(redis, 'history'),
  };
  const idReserve = reserveIds({ db, redis, log });
  const calls = callBuffer({ redis, turns, clock, memory, directory, log, metrics });
  const waiters = channelWaiters(redis, channels.appended);
  const credentials = credentialCache({ db, redis, clock, log });
  const recordKeyUse = keyUseRecorder({ db, redis, clock, log });
  const credentialWatch = watchCredentials({ db, redis, clock, log, credentials });
  const counted = apiMetrics(metrics, waiters);
  const leave = new AbortController();
  const stop = new AbortController();

  return {
    config,
    log,
    clock,
    metrics,
    db,
    redis,
    memory,
    secrets,
    directory,
    turns,
    calls,
    idReserve,
    waiters,
    credentials,
    credentialWatch,
    platform: measurePlatform(metrics).client(platformClient({ apiUrl: config.platformUrl })),
    backendPolicy: { allowedCidrs: config.backendAllowedCidrs, ownAt: endpoints.ownAt },
    endpoints,
    publicUrl: config.http.publicUrl,
    proxy: config.proxy,
    auth: authentication({ redis, credentials, recordKeyUse, clock, config }),
    signInLimits: signInLimits(redis, clock),
    clientAddress: clientAddress(config.http.trustedProxies),
    tracing,
    proxyHost: config.proxy.host === null ? null : proxyHost(config.proxy.host, config.http.trustedProxies),
    bodies: bodyBudget(metrics),
    apiMetrics: counted,
    startup: { waitsForPostgres: false },
    measurePull: counted.polls,
    leaving: leave.signal,
    beginLeaving: () => leave.abort(),
    stopping: stop.signal,
    beginStop: () => stop.abort(),
    close: async () => {
      const flushed = tracing?.close();
      calls.close();
      idReserve.close();
      waiters.close();
      credentialWatch.close();
      memory.close();
      directory.close();
      await Promise.allSettled([endpoints.close(), ...Object.values(turns).map((queue) => queue.close())]);
      await redis.close();
      await db.destroy();
      await flushed;
    },
  };
}
