import { type DatabaseState, readDatabaseState } from '@flotilla/database/server-state.ts';
import { waitingRemovals } from '@flotilla/domain/records/retention/confirm-removals.ts';
import type { Depth, FleetFigures } from '@flotilla/domain/watch/fleet-figures/fleet-figures.ts';
import { readFigures } from '@flotilla/domain/watch/fleet-figures/gather-figures.ts';
import { readServerState, type ServerState } from '@flotilla/redis/server-state.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Reading } from '@flotilla/runtime/metrics.ts';
import { remembered } from '@flotilla/runtime/remembered.ts';
import type { WorkerContext } from '../context.ts';

/** All gauges of one scrape are read within this time, so their sources are read once. */
const SCRAPE_MS = 1_000;
const DATABASE_READ_EVERY_MS = 30_000;

type Gauge<Source> = { name: string; help: string; labelNames?: string[]; read(source: Source): Reading[] };

/** Figures of the whole fleet. Every worker with the role upkeep reports the same ones. */
export function fleetMetrics(deps: WorkerContext): void {
  const figures = remembered(deps.clock, SCRAPE_MS, async () => {
    const found = await readFigures(deps);
    if (found === null) throw new Error('no worker has counted the fleet lately');
    return found;
  });
  publish(deps, figures, fleetGauges(deps.clock));
  publish(
    deps,
    remembered(deps.clock, SCRAPE_MS, () => readServerState(deps.redis, deps.config.redisChecks)),
    redisGauges,
  );
  publish(
    deps,
    remembered(deps.clock, DATABASE_READ_EVERY_MS, () => readDatabaseState(deps.db)),
    databaseGauges,
  );
  publish(
    deps,
    remembered(deps.clock, DATABASE_READ_EVERY_MS, () => waitingRemovals(deps.db)),
    [
      {
        name: 'flotilla_removals_waiting',
        help: 'Tables from which retention removes nothing until somebody confirms the unusual amount.',
        read: ({ length }) => [{ value: length }],
      },
    ],
  );
  deps.metrics.readGauge(
    {
      name: 'flotilla_backup_max_age_seconds',
      help: 'How old the last backup may be (BACKUP_MAX_AGE_HOURS); 0 is no limit.',
    },
    () => [{ value: deps.config.backupMaxAgeHours * 3600 }],
  );
  deps.metrics.readGauge(
    {
      name: 'flotilla_oldest_pending_seconds',
      help: 'Seconds for which the oldest due turn has waited for a worker, by kind; scale workers of that role on it.',
      labelNames: ['kind'],
    },
    () =>
      Promise.all(
        Object.values(deps.turns).map(async (queue) => ({
          labels: { kind: queue.kind },
          value: (await queue.oldestPendingMs(deps.clock.nowMs())) / 1000,
        })),
      ),
  );
}

function publish<Source>({ metrics }: WorkerContext, source: () => Promise<Source>, gauges: Gauge<Source>[]): void {
  for (const { read, ...gauge } of gauges) metrics.readGauge(gauge, async () => read(await source()));
}

const fleetGauges = (clock: Clock): Gauge<FleetFigures>[] => [
  {
    name: 'flotilla_bots',
    help: 'Bots by intake: polled, polling_failing, pushed (by the platform), webhook_failing, disabled.',
    labelNames: ['intake'],
    read: ({ bots }) => byLabel('intake', bots),
  },
  {
    name: 'flotilla_bots_attention',
    help: 'Bots by what is wrong with them, as GET /api/attention names it. A bot may count for several kinds.',
    labelNames: ['kind'],
    read: ({ attention }) => byLabel('kind', attention),
  },
  {
    name: 'flotilla_backends',
    help: 'Backends by breaker: ok, failing, open (only probed).',
    labelNames: ['state'],
    read: ({ backends }) => byLabel('state', backends),
  },
  {
    name: 'flotilla_log_entries',
    help: 'Entries of the update logs, of all bots together and of the largest log.',
    labelNames: ['of'],
    read: ({ log }) => depth(log),
  },
  {
    name: 'flotilla_backlog_updates',
    help: 'Updates that wait for push, pull or rules, of all bots together and of the bot with most.',
    labelNames: ['reader', 'of'],
    read: ({ backlog }) =>
      Object.entries(backlog).flatMap(([reader, waiting]) => depth(waiting).map((one) => withLabel(one, { reader }))),
  },
  {
    name: 'flotilla_history_waiting_entries',
    help: 'Entries of the history streams not yet in Postgres, of all shards together and of the largest.',
    labelNames: ['of'],
    read: ({ history }) => depth(history),
  },
  {
    name: 'flotilla_history_oldest_seconds',
    help: 'Age in seconds of the oldest entry that is not yet in Postgres.',
    read: ({ history }) => [
      { value: history.oldestAtMs === null ? 0 : Math.max(0, clock.nowMs() - history.oldestAtMs) / 1000 },
    ],
  },
  {
    name: 'flotilla_outbox_entries',
    help: 'Entries of the outbox of all bots, by state: scheduled, queued, held (its author lost the right), sending, in_doubt. The others have ended.',
    labelNames: ['state'],
    read: ({ outbox }) => (outbox === null ? [] : byLabel('state', outbox.entries)),
  },
  {
    name: 'flotilla_outbox_oldest_due_seconds',
    help: 'Seconds for which the oldest entry of the outbox could have been sent, bots that are disabled left out.',
    read: ({ outbox }) => (outbox === null ? [] : [{ value: outbox.oldestDueMs / 1000 }]),
  },
  {
    name: 'flotilla_figures_age_seconds',
    help: 'Age of the figures of the fleet, which one worker gathers every 30 s.',
    read: ({ atMs }) => [{ value: Math.max(0, clock.nowMs() - atMs) / 1000 }],
  },
];

function ifChecked(found: boolean | null): Reading[] {
  return found === null ? [] : [{ value: found ? 1 : 0 }];
}

const redisGauges: Gauge<ServerState>[] = [
  {
    name: 'flotilla_redis_durable',
    help: '1 when every Redis master uses appendfsync always and its last write to the append-only file worked; absent with REDIS_DURABILITY=provider.',
    read: ({ durable }) => ifChecked(durable),
  },
  {
    name: 'flotilla_redis_evicts',
    help: '1 when a full Redis would evict keys; absent with REDIS_EVICTION=provider.',
    read: ({ evicts }) => ifChecked(evicts),
  },
  { name: 'flotilla_redis_clients', help: 'Connections open at Redis.', read: ({ clients }) => [{ value: clients }] },
  {
    name: 'flotilla_redis_used_bytes',
    help: 'Memory Redis uses, all masters together.',
    read: ({ used_bytes }) => [{ value: used_bytes }],
  },
];

const databaseGauges: Gauge<DatabaseState>[] = [
  { name: 'flotilla_postgres_database_bytes', help: 'Size of the database.', read: ({ bytes }) => [{ value: bytes }] },
  {
    name: 'flotilla_postgres_server_connections',
    help: 'Connections open at the Postgres server, of all its clients.',
    read: ({ connections }) => [{ value: connections }],
  },
  {
    name: 'flotilla_postgres_server_connections_max',
    help: 'max_connections of the Postgres server.',
    read: ({ maxConnections }) => [{ value: maxConnections }],
  },
  {
    name: 'flotilla_migrations_apart',
    help: 'Migrations only this release knows (pending), or only the database (unknown: a newer release migrated it).',
    labelNames: ['state'],
    read: ({ pending, unknown }) => byLabel('state', { pending, unknown }),
  },
  {
    name: 'flotilla_last_backup_timestamp_seconds',
    help: 'Unix time of the last backup; before the first one, of when the database was made or restored.',
    read: ({ lastBackupAtMs }) => [{ value: lastBackupAtMs / 1000 }],
  },
  {
    name: 'flotilla_last_backup_bytes',
    help: 'Size of the last backup; 0 when nobody noted one.',
    read: ({ lastBackupBytes }) => [{ value: lastBackupBytes }],
  },
];

function byLabel(label: string, values: Record<string, number>): Reading[] {
  return Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
}

function depth({ total, largest }: Depth): Reading[] {
  return byLabel('of', { all: total, largest });
}

function withLabel(reading: Reading, labels: Record<string, string>): Reading {
  return { ...reading, labels: { ...labels, ...reading.labels } };
}
