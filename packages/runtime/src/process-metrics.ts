import { totalmem } from 'node:os';
import { VERSION } from './build.ts';
import type { Metrics } from './metrics.ts';

/** Describes this process: its release, and its roles (`api`, or those of a worker). One process may be both. */
export function describeProcess(metrics: Metrics, kinds: readonly { kind: string; roles: readonly string[] }[]): void {
  const build = metrics.gauge({
    name: 'flotilla_build_info',
    help: '1; labels say which program (api or worker) runs, and its release and build.',
    labelNames: ['process', 'version'],
  });
  for (const { kind } of kinds) build.set({ process: kind, version: VERSION }, 1);
  const role = metrics.gauge({
    name: 'flotilla_role',
    help: '1 for each role of the process: api, or the roles of a worker (polling, push, rules, outbox, history, upkeep).',
    labelNames: ['role'],
  });
  for (const one of kinds.flatMap(({ roles }) => roles)) role.set({ role: one }, 1);
  metrics
    .gauge({
      name: 'flotilla_memory_limit_bytes',
      help: 'The most memory the process may use: the limit of its container or unit, else the memory of the machine.',
    })
    .set(memoryLimitBytes());
}

/** The memory limit of the control group (a container, a systemd unit), or the machine's memory if that is less. */
export function memoryLimitBytes(
  constrained: number = process.constrainedMemory(),
  total: number = totalmem(),
): number {
  // 0 and 2^64 mean that there is no limit.
  return constrained > 0 ? Math.min(constrained, total) : total;
}

/** Reports at every scrape whether the process is ready, as /readyz does. */
export function readyMetric(metrics: Metrics, ready: () => Promise<{ ready: boolean }>): void {
  metrics.gauge({
    name: 'flotilla_ready',
    help: '1 when /readyz passes, checked at the scrape.',
    async collect() {
      const readiness = await ready().catch(() => ({ ready: false }));
      this.set(readiness.ready ? 1 : 0);
    },
  });
}

/** Reports at every scrape whether a dependency answers within 2 s. */
export function answersMetric(
  metrics: Metrics,
  options: { name: string; help: string },
  ask: () => Promise<unknown>,
): void {
  metrics.gauge({
    ...options,
    async collect() {
      this.set((await answersWithin(ask, ANSWER_WITHIN_MS)) ? 1 : 0);
    },
  });
}

const ANSWER_WITHIN_MS = 2_000;

/** True if `ask` resolves within this time; a refusal is no answer. */
export async function answersWithin(ask: () => Promise<unknown>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, withinMs, false);
  });
  const answered = ask().then(
    () => true,
    () => false,
  );
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
