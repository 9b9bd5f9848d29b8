import type { Metrics } from '@flotilla/runtime/metrics.ts';
import { answersMetric } from '@flotilla/runtime/process-metrics.ts';
import type { Pool, QueryConfig } from 'pg';
import { isUnavailable } from './is-unavailable.ts';

export type MeasureQuery = {
  /** Measures a query until its answer. */
  query<Answer>(answer: Promise<Answer>): Promise<Answer>;
  /** Measures the wait for a connection of the pool. */
  wait<Client>(client: Promise<Client>): Promise<Client>;
};

type Duration = { observe(seconds: number): void };

const BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Queries of the scrape itself wait while the gauge is read, until their connection is open. */
const LONG_WAIT_MS = 50;
/** The pool's own queries have no limit; without one, a connection that fell silent would never be given back. */
const PING: QueryConfig & { query_timeout: number } = { text: 'select 1', query_timeout: 2_000 };

export function measurePool(metrics: Metrics, pool: Pool): MeasureQuery {
  const queries = metrics.histogram({
    name: 'flotilla_postgres_query_seconds',
    help: 'Seconds a query took: ok, refused by Postgres, or away when Postgres did not answer, or gave no connection.',
    labelNames: ['outcome'],
    buckets: BUCKETS_S,
  });
  for (const outcome of ['ok', 'refused', 'away']) queries.zero({ outcome });
  const waits = metrics.histogram({
    name: 'flotilla_postgres_wait_seconds',
    help: 'Seconds a query or transaction waited for a connection of the pool.',
    buckets: BUCKETS_S,
  });
  const waitingCallers = new Set<{ beganAtMs: number }>();
  metrics.gauge({
    name: 'flotilla_postgres_connections',
    help: 'Connections of this pool: in_use, idle; and callers that have been waiting for one for over 50 ms.',
    labelNames: ['state'],
    collect() {
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
      const nowMs = performance.now();
      const waitLong = [...waitingCallers].filter(({ beganAtMs }) => nowMs - beganAtMs > LONG_WAIT_MS);
      this.set({ state: 'waiting' }, waitLong.length);
    },
  });
  metrics
    .gauge({ name: 'flotilla_postgres_connections_max', help: 'The most connections this pool may open.' })
    .set(pool.options.max);
  answersMetric(
    metrics,
    { name: 'flotilla_postgres_up', help: '1 when Postgres answered a query within 2 s of the scrape.' },
    () => pool.query(PING),
  );
  const ok = queries.labels('ok');
  const failed = { refused: queries.labels('refused'), away: queries.labels('away') };
  const failureOf = (error: unknown) => failed[isUnavailable(error) ? 'away' : 'refused'];
  return {
    query: (answer) => timed(answer, ok, failureOf),
    wait: async (client) => {
      const caller = { beganAtMs: performance.now() };
      waitingCallers.add(caller);
      // A query that gets no connection has failed, too: while Postgres is down, that is how all of them fail.
      const counted = timed(client, { observe: () => {} }, failureOf);
      return await timed(counted, waits, () => waits).finally(() => waitingCallers.delete(caller));
    },
  };
}

async function timed<Result>(
  result: Promise<Result>,
  ok: Duration,
  failed: (error: unknown) => Duration,
): Promise<Result> {
  const begunAtMs = performance.now();
  try {
    const value = await result;
    ok.observe((performance.now() - begunAtMs) / 1000);
    return value;
  } catch (error) {
    failed(error).observe((performance.now() - begunAtMs) / 1000);
    throw error;
  }
}
