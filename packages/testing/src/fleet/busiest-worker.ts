import type { Fleet } from './fleet.ts';
import type { FleetProcess } from './fleet-process.ts';
import { readMetric } from './read-metric.ts';

/** The worker that runs most turns of a kind; while none runs, the one that holds most. */
export async function busiestWorker(fleet: Pick<Fleet, 'workers'>, kind: string): Promise<FleetProcess> {
  const turns = await Promise.all(
    fleet.workers.map(async (worker) => ({
      worker,
      running: (await readMetric(worker, 'flotilla_active_turns', { kind })) ?? 0,
      held: (await readMetric(worker, 'flotilla_held_turns', { kind })) ?? 0,
    })),
  );
  const [busiest] = turns.sort((one, other) => other.running - one.running || other.held - one.held);
  return busiest!.worker;
}
