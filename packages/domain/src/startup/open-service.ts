import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { VERSION } from '@flotilla/runtime/build.ts';
import { lookupsAtOnce } from '@flotilla/runtime/env.ts';
import { createLogger, type Logger } from '@flotilla/runtime/logger.ts';
import { createMetrics, type Metrics } from '@flotilla/runtime/metrics.ts';
import { openTracing } from '@flotilla/runtime/open-tracing.ts';
import { describeProcess } from '@flotilla/runtime/process-metrics.ts';
import type { Retry } from '@flotilla/runtime/retry-while-away.ts';
import { sharedLookup } from '@flotilla/runtime/shared-lookup.ts';
import type { Tracing } from '@flotilla/runtime/tracing.ts';
import { type Floods, openFloods } from '../delivery/flood/floods.ts';
import { sentLately } from '../delivery/flood/sent-lately.ts';
import { type IdReserve, idReserveOf } from '../delivery/intake/id-reserve.ts';
import { type MessageTopics, messageTopics } from '../delivery/programs/message-topics.ts';
import { measureRouter } from '../delivery/router/measure-router.ts';
import { openRouter, type Router } from '../delivery/router/router.ts';
import { type UnreachableBots, unreachableBots } from '../delivery/unreachable/unreachable-bots.ts';
import type { BackendPolicy } from '../fleet/backend-policy/backend-policy.ts';
import { followOwnEndpoints, type OwnEndpoints } from '../fleet/backend-policy/own-endpoints.ts';
import { storeEndpoints } from '../fleet/backend-policy/store-endpoints.ts';
import type { BotDirectory } from '../fleet/bots/bot-directory.ts';
import { followDirectory } from '../fleet/bots/follow-directory.ts';
import { followInstallation, type Installation } from '../fleet/installation/follow-installation.ts';
import { type MemoryWatch, watchMemory } from '../fleet/memory/watch-memory.ts';
import { type CallBuffer, callBuffer } from '../records/history/stream/call-buffer.ts';
import { announceReplica } from '../watch/fleet-figures/replicas.ts';
import { type OpenProcess, openProcess } from './open-process.ts';
import type { ServiceConfig } from './service-config.ts';
import { type StoreWarnings, storeWarnings } from './store-warnings.ts';

/** The parts that the api and the worker share. */
export type Service = OpenProcess & {
  metrics: Metrics;
  /** Null when tracing is off. */
  tracing: Tracing | null;
  /** Measures how full Redis is. */
  memory: MemoryWatch;
  /** Which stores are away, for the readiness probe. */
  storeWarnings: StoreWarnings;
  /** The installation that the stores belong to, and if they are a copy of it. */
  installation: Installation;
  directory: BotDirectory;
  /** The addresses at which we and our stores listen. */
  endpoints: OwnEndpoints;
  backendPolicy: BackendPolicy;
  router: Router;
  /** The URL at which the platform reaches the api; null if it cannot. */
  publicUrl: string | null;
  /** Kinds of updates to ask the platform for beside those that are known or named. */
  extraKinds: readonly string[];
  turns: {
    polling: TurnQueue;
    push: TurnQueue;
    programs: TurnQueue;
    rules: TurnQueue;
    outbox: TurnQueue;
    history: TurnQueue;
  };
  idReserve: IdReserve;
  /** Captured calls that went through this process, on their way to the history. */
  calls: CallBuffer;
  /** Until when the platform takes no calls of a bot. */
  floods: Floods;
  unreachable: UnreachableBots;
  /** The topics of messages that tokens with topics name. */
  messageTopics: MessageTopics;
};

/** Of the lookups that Node makes at once, so many are for names of backends; the rest is for the platform and our stores. */
const SHARE_OF_LOOKUPS = 3 / 4;

export type ServiceOptions = {
  log?: Logger;
  metrics?: Metrics;
  /** If given, the start waits for a Redis that is away. */
  retry?: Retry;
};

/** Opens the parts that api and worker share. Rejects when Redis cannot be reached and no `retry` is given. */
export async function openService(
  { name, roles }: { name: 'api' | 'worker'; roles: Iterable<string> },
  config: ServiceConfig,
  options: ServiceOptions,
): Promise<Service> {
  const { log = createLogger({ name, level: config.logLevel }), metrics = createMetrics({ processMetrics: true }) } =
    options;
  describeProcess(metrics, name, roles);
  const opened = await openProcess(name, config, { ...options, log, metrics });
  const { db, redis, secrets, clock, onClose } = opened;
  const memory = await watchMemory({ redis, limitBytes: config.redisMemoryLimit, metrics, log });
  onClose(memory.close);
  const installation = await followInstallation({ db, redis, log, metrics });
  onClose(installation.close);
  const tracing = await openTracing(config.tracing, { name: `flotilla-${name}`, log });
  const directory = await followDirectory({ redis, secrets, log });
  onClose(directory.close);
  const endpoints = await followOwnEndpoints(
    { redis, clock, log },
    storeEndpoints({
      database: config.database.url,
      redis: config.redisUrl,
      platform: config.platformUrl,
      proxy: config.platformProxy,
    }),
  );
  onClose(endpoints.close);
  const replica = announceReplica({ redis, clock, installation }, { kind: name, roles: [...roles], version: VERSION });
  onClose(replica.close);
  const backendPolicy = {
    allowedCidrs: config.backendAllowedCidrs,
    allowedBy: 'BACKEND_ALLOWED_CIDRS',
    ownAt: endpoints.ownAt,
    lookup: sharedLookup(Math.max(1, Math.floor(lookupsAtOnce() * SHARE_OF_LOOKUPS))),
  };
  const measured = measureRouter(metrics);
  const router = openRouter({ redis, directory, clock, backendPolicy, measure: measured }, config.router);
  onClose(router.close);
  const turns = {
    polling: turnQueue(redis, 'polling'),
    push: turnQueue(redis, 'push'),
    programs: turnQueue(redis, 'programs'),
    rules: turnQueue(redis, 'rules'),
    outbox: turnQueue(redis, 'outbox'),
    history: turnQueue(redis, 'history'),
  };
  onClose(() => Promise.allSettled(Object.values(turns).map((queue) => queue.close())));
  const sent = sentLately();
  const floods = openFloods({ redis, clock, log, metrics, sent });
  onClose(floods.close);
  const unreachable = unreachableBots({ redis, log });
  const idReserve = idReserveOf({ db, redis, log });
  onClose(idReserve.close);
  const calls = callBuffer({ redis, turns, clock, memory, directory, log, metrics, sent });
  onClose(calls.close);
  return {
    ...opened,
    metrics,
    tracing,
    memory,
    storeWarnings: storeWarnings(opened),
    installation,
    directory,
    endpoints,
    backendPolicy,
    router,
    publicUrl: config.publicUrl,
    extraKinds: config.extraKinds,
    turns,
    idReserve,
    calls,
    floods,
    unreachable,
    messageTopics: messageTopics({ db }),
    close: async () => {
      // A collector that is away must not delay closing the stores, nor the stores the export.
      const exported = tracing?.close();
      await opened.close();
      await exported;
    },
  };
}
