import { DEFAULT_UPSTREAM } from '@flotilla/contract/upstreams.ts';
import { turnQueue } from '@flotilla/redis/turn-queue.ts';
import { VERSION } from '@flotilla/runtime/build.ts';
import { lookupsAtOnce } from '@flotilla/runtime/env.ts';
import { createLogger, type Logger } from '@flotilla/runtime/logger.ts';
import { createMetrics, type Metrics } from '@flotilla/runtime/metrics.ts';
import { openTracing } from '@flotilla/runtime/open-tracing.ts';
import { describeProcess } from '@flotilla/runtime/process-metrics.ts';
import type { Retry } from '@flotilla/runtime/retry-while-away.ts';
import { sharedLookup } from '@flotilla/runtime/shared-lookup.ts';
import { openFloods } from '../delivery/flood/floods.ts';
import { sentLately } from '../delivery/flood/sent-lately.ts';
import { idReserveOf } from '../delivery/intake/id-reserve.ts';
import { messageTopics } from '../delivery/programs/message-topics.ts';
import { measureRouter } from '../delivery/router/measure-router.ts';
import { openRouter } from '../delivery/router/router.ts';
import { unreachableBots } from '../delivery/unreachable/unreachable-bots.ts';
import { followOwnEndpoints } from '../fleet/backend-policy/own-endpoints.ts';
import { storeEndpoints } from '../fleet/backend-policy/store-endpoints.ts';
import { followDirectory } from '../fleet/bots/follow-directory.ts';
import { followInstallation } from '../fleet/installation/follow-installation.ts';
import { watchMemory } from '../fleet/memory/watch-memory.ts';
import { serversDigest } from '../fleet/upstreams/servers-digest.ts';
import { upstreamHealth as openUpstreamHealth } from '../fleet/upstreams/upstream-health.ts';
import { openUpstreams } from '../fleet/upstreams/upstreams.ts';
import { callBuffer } from '../records/history/stream/call-buffer.ts';
import { announceReplica, type Replica } from '../watch/fleet-figures/replicas.ts';
import { type Outside, openOutside } from './open-outside.ts';
import { openProcess } from './open-process.ts';
import type { ServiceConfig } from './service-config.ts';
import type { SharedParts } from './shared-parts.ts';
import { storeWarnings } from './store-warnings.ts';

/** The parts that the api and the worker share. */
export type Service = SharedParts & Outside;

/** The kinds of processes that one process is, each with its roles. */
export type Kinds = readonly Pick<Replica, 'kind' | 'roles'>[];

/** Of the lookups that Node makes at once, so many are for names of backends; the rest is for the platform and our stores. */
const SHARE_OF_LOOKUPS = 3 / 4;

export type ServiceOptions = {
  log?: Logger;
  metrics?: Metrics;
  /** If given, the start waits for a Redis that is away. */
  retry?: Retry;
};

/**
 * Opens the parts that api and worker share, also if both are in this process. Rejects when Redis cannot be reached and no `retry`
 * is given.
 */
export async function openService(kinds: Kinds, config: ServiceConfig, options: ServiceOptions): Promise<Service> {
  const name = nameOf(kinds);
  const { log = createLogger({ name, level: config.logLevel }), metrics = createMetrics({ processMetrics: true }) } =
    options;
  describeProcess(metrics, kinds);
  const opened = await openProcess(name, config, { ...options, log, metrics });
  const { db, redis, secrets, clock, onClose } = opened;
  const memory = await watchMemory({ redis, limitBytes: config.redisMemoryLimit, metrics, log });
  onClose(memory.close);
  const installation = await followInstallation({ db, redis, log, metrics });
  onClose(installation.close);
  const tracing = await openTracing(config.tracing, { name: `flotilla-${name}`, log });
  const directory = await followDirectory({ redis, secrets, log });
  onClose(directory.close);
  const servers = [...config.servers.values()];
  const endpoints = await followOwnEndpoints(
    { redis, clock, log },
    storeEndpoints({
      database: config.database.url,
      redis: config.redisUrl,
      platforms: [
        config.platformUrl,
        ...servers.flatMap(({ url, files }) => (/^http/i.test(files) ? [url, files] : [url])),
      ],
      proxies: [config.platformProxy, ...servers.map(({ proxy }) => proxy)].filter((proxy) => proxy !== null),
    }),
  );
  onClose(endpoints.close);
  const announced = kinds.map((one) => {
    const told = { ...one, version: VERSION, servers: serversDigest(config) };
    return announceReplica({ redis, clock, installation, log }, told);
  });
  for (const { close } of announced) onClose(close);
  const ofStores = storeWarnings(opened);
  const backendPolicy = {
    allowedCidrs: config.backendAllowedCidrs,
    allowedBy: 'BACKEND_ALLOWED_CIDRS',
    ownAt: endpoints.ownAt,
    lookup: sharedLookup(Math.max(1, Math.floor(lookupsAtOnce() * SHARE_OF_LOOKUPS))),
  };
  const upstreams = openUpstreams({ directory, log }, config);
  onClose(async () => upstreams.close());
  const upstreamHealth = openUpstreamHealth({ redis, clock });
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
  const unreachable = unreachableBots({
    ...{ redis, log },
    serverOf: (botId) => {
      const name = (directory.ready() ? directory.byId(botId)?.upstream : undefined) ?? DEFAULT_UPSTREAM;
      return { leftMs: () => upstreamHealth.leftMs(name), begin: () => upstreamHealth.begin(name) };
    },
  });
  const idReserve = idReserveOf({ db, redis, log });
  onClose(idReserve.close);
  const calls = callBuffer({ redis, turns, clock, memory, directory, log, metrics, sent });
  onClose(calls.close);
  const shared = {
    ...opened,
    metrics,
    tracing,
    memory,
    readinessWarnings: async () => [...(await ofStores()), ...(announced[0]?.warnings() ?? [])],
    installation,
    directory,
    endpoints,
    backendPolicy,
    servers: config.servers,
    upstreams,
    upstreamHealth,
    router,
    publicUrl: config.publicUrl,
    extraKinds: config.extraKinds,
    turns,
    idReserve,
    calls,
    floods,
    unreachable,
    messageTopics: messageTopics({ db }),
    acceptedUpdates: metrics.quickCounter({
      name: 'flotilla_updates_accepted_total',
      help: 'Updates accepted into the logs, by polling (workers) or webhook (api).',
      labelNames: ['intake'],
    }),
    close: async () => {
      // A collector that is away must not delay closing the stores, nor the stores the export.
      const exported = tracing?.close();
      await opened.close();
      await exported;
    },
  };
  return { ...shared, ...openOutside(shared) };
}

/** The name of the process at Postgres, in its logs and its traces. */
export function nameOf(kinds: Kinds): string {
  return kinds.length === 1 ? kinds[0]!.kind : 'all';
}
