import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { type OwnPostgres, startOwnPostgres } from '@flotilla/testing/own-postgres.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect } from '@jest/globals';
import { type Prometheus, startPrometheus } from './prometheus.ts';

const FIRED_WITHIN_MS = 180_000;
/** Above all that one test waits for. */
export const TEST_MS = 660_000;
export const SCRAPED = { timeoutMs: 60_000, message: 'a process being scraped' };

export type AlertScene = Awaited<ReturnType<typeof startAlertScene>>;

/** A fleet over stores of its own, and a Prometheus that scrapes it. `before`: what Postgres has when the fleet starts. */
export async function startAlertScene(
  parts: AsyncDisposableStack,
  settings: Record<string, string>,
  before: (postgres: OwnPostgres) => Promise<void> = async () => {},
) {
  const postgres: OwnPostgres = parts.adopt(await startOwnPostgres(), (own) => own.drop());
  const redis: TestRedis = parts.adopt(await startTestRedis(), (own) => own.stop());
  const connected = await connectRedis({ url: redis.url, log: { warn: () => undefined } });
  const stored: RedisHandles = parts.adopt(connected, (handles) => handles.close());
  await before(postgres);
  const fleet: Fleet = parts.adopt(await startFleet({ apis: 1, workers: 1 }, settings, postgres, redis), (own) =>
    own.stop(),
  );
  const prometheus: Prometheus = parts.adopt(await startPrometheus(), (own) => own.stop());
  /** Each process has the name of its place, so that the next one there is the same to Prometheus. */
  const scrapeFleet = (others: FleetProcess[] = []): Promise<void> => {
    const named = (all: FleetProcess[]) =>
      all.map(({ role, metricsPort }, at) => ({ job: `flotilla-${role}`, name: `${role}-${at}`, port: metricsPort }));
    return prometheus.scrape([...named([...fleet.apis, ...others]), ...named(fleet.workers)]);
  };
  await scrapeFleet();
  // A counter that has risen before it was scraped has not risen.
  await waitFor(() => prometheus.holds('flotilla_redis_up{job="flotilla-worker"}'), SCRAPED);
  /** Keeps doing something until all of these alerts have fired, no matter what fired before. */
  const untilFired = async (names: string[], again: () => Promise<unknown> = async () => {}): Promise<void> => {
    let silent = names;
    const sinceMs = Date.now();
    await waitFor(
      async () => {
        const withinS = Math.max(1, Math.floor((Date.now() - sinceMs) / 1000));
        const [, fired] = await Promise.all([again(), prometheus.fired(withinS)]);
        silent = names.filter((name) => !fired.includes(`Flotilla${name}`));
        return silent.length === 0;
      },
      { timeoutMs: FIRED_WITHIN_MS, pauseMs: 500 },
    ).catch((error) => {
      if (silent.length === 0) throw error;
    });
    expect({ silent }).toEqual({ silent: [] });
  };
  /** On a busy machine a store may not answer in time. */
  const addBot = (fields: Record<string, unknown> = {}): Promise<FleetBot> =>
    waitFor(() => fleet.addBot(fields), { timeoutMs: 30_000 });
  return {
    ...{ postgres, redis, stored, fleet, prometheus, scrapeFleet, untilFired, addBot },
    several: (count: number, fields: Record<string, unknown>): Promise<FleetBot[]> =>
      Promise.all(Array.from({ length: count }, () => addBot(fields))),
    updates: (of: FleetBot[], count: number, chats: number) =>
      fleet.control.generate({ bots: of.map(({ platformId }) => platformId), chats, count }),
  };
}

/** Runs this code in a process before its own. */
export const preload = (code: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
});
