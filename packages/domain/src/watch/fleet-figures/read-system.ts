import type { UpstreamState } from '@flotilla/contract/upstreams.ts';
import { clockAheadMs } from '@flotilla/database/clock-of-server.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { type DatabaseState, readDatabaseState } from '@flotilla/database/server-state.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { type RedisChecks, readServerState, type ServerState } from '@flotilla/redis/server-state.ts';
import type { TurnKind, TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Taken } from '@flotilla/runtime/refreshed.ts';
import { remembered } from '@flotilla/runtime/remembered.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { MemoryPressure } from '../../fleet/memory/memory-pressure.ts';
import type { MemoryWatch } from '../../fleet/memory/watch-memory.ts';
import { readUpstreams } from '../../fleet/upstreams/upstream-health.ts';
import { type WaitingRemoval, waitingRemovals } from '../../records/retention/confirm-removals.ts';
import type { FleetFigures } from './fleet-figures.ts';
import { readFigures } from './gather-figures.ts';

export type TurnFigures = { kind: TurnKind; running: number; waiting: number; sleeping: number; oldestMs: number };

/** The stores of the installation. null: it could not be asked. */
export type SystemState = {
  database: Taken<DatabaseState> | null;
  redis: (Taken<ServerState> & { pressure: MemoryPressure; share: number }) | null;
  turns: Taken<TurnFigures[]> | null;
  figures: FleetFigures | null;
  removals: { clock_ms_apart: number; waiting: WaitingRemoval[] } | null;
  upstreams: UpstreamState[] | null;
};

export type SystemReader = () => Promise<SystemState>;

type Deps = {
  db: Database;
  redis: RedisHandles;
  clock: Clock;
  memory: MemoryWatch;
  turns: Record<string, TurnQueue>;
  directory: BotDirectory;
  config: Parameters<typeof readUpstreams>[1] & { redisChecks: RedisChecks };
};

/** Measuring the size of a database takes long. */
const DATABASE_EVERY_MS = 30_000;
const REDIS_EVERY_MS = 1_000;

/** Reads the state of the stores and of the queues. However often it is called, it asks a store once a second at most. */
export function systemReader(deps: Deps): SystemReader {
  const { clock, memory, config } = deps;
  const taken = <Value>(everyMs: number, read: () => Promise<Value>) =>
    remembered(clock, everyMs, async (): Promise<Taken<Value>> => ({ value: await read(), atMs: clock.nowMs() }));
  const database = taken(DATABASE_EVERY_MS, () => readDatabaseState(deps.db));
  const redis = taken(REDIS_EVERY_MS, () => readServerState(deps.redis, config.redisChecks));
  const turns = taken(REDIS_EVERY_MS, () => readTurns(deps));
  const removals = remembered(clock, REDIS_EVERY_MS, async () => ({
    clock_ms_apart: await clockAheadMs(deps.db, clock),
    waiting: await waitingRemovals(deps.db),
  }));
  const upstreams = remembered(clock, REDIS_EVERY_MS, async () =>
    deps.directory.ready() ? readUpstreams(deps, config) : null,
  );
  return async () => {
    const [ofDatabase, ofRedis, ofTurns, figures, ofRemovals, ofUpstreams] = await Promise.all([
      orNull(database()),
      orNull(redis()),
      orNull(turns()),
      orNull(readFigures(deps)),
      orNull(removals()),
      orNull(upstreams()),
    ]);
    return {
      database: ofDatabase,
      redis: ofRedis === null ? null : { ...ofRedis, pressure: memory.pressure(), share: memory.share() },
      turns: ofTurns,
      figures,
      removals: ofRemovals,
      upstreams: ofUpstreams,
    };
  };
}

async function orNull<Value>(read: Promise<Value>): Promise<Value | null> {
  return read.catch((error: unknown) => {
    if (!isUnavailable(error) && !isRedisUnavailable(error)) throw error;
    return null;
  });
}

async function readTurns({ turns, clock }: Deps): Promise<TurnFigures[]> {
  return Promise.all(
    Object.values(turns).map(async (queue) => {
      const [counts, oldestMs] = await Promise.all([queue.counts(), queue.oldestPendingMs(clock.nowMs())]);
      const { active = 0, waiting = 0, delayed = 0 } = counts;
      return { kind: queue.kind, running: active, waiting, sleeping: delayed, oldestMs };
    }),
  );
}
