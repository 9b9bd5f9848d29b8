import type { FleetResource, ReplicaResource } from '@flotilla/contract/fleet.ts';
import type { ActivityCounts } from '@flotilla/domain/records/activity/activity-counts.ts';
import type { FleetSummary } from '@flotilla/domain/watch/fleet-figures/read-fleet.ts';
import type { Replica } from '@flotilla/domain/watch/fleet-figures/replicas.ts';

/** The figures as the caller for whom they were read sees them. */
export function presentFleet({
  states,
  attention,
  labels,
  pending,
  deadLetters,
  rates,
  takenAtMs,
  replicas,
}: FleetSummary): FleetResource {
  return {
    bots: Object.values(states).reduce((sum, count) => sum + count, 0),
    states,
    attention,
    labels,
    pending,
    ...(deadLetters === null ? {} : { dead_letters: deadLetters }),
    ...(rates === null ? {} : { rates: presentRates(rates) }),
    taken_at: new Date(takenAtMs).toISOString(),
    ...(replicas === null ? {} : { replicas: replicas.map(presentReplica) }),
  };
}

function presentRates(rates: ActivityCounts): ActivityCounts {
  const rounded = Object.entries(rates).map(([name, rate]) => [name, Number(rate.toFixed(2))]);
  return Object.fromEntries(rounded) as ActivityCounts;
}

function presentReplica({ id, kind, roles, version, host, startedAtMs, clockAheadMs }: Replica): ReplicaResource {
  const told = clockAheadMs === undefined ? {} : { clock_ms_apart: clockAheadMs };
  return { id, kind, roles, version, host, started_at: new Date(startedAtMs).toISOString(), ...told };
}
