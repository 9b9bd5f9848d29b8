import { randomBytes } from 'node:crypto';
import { startPostgres } from '@flotilla/embedded/start-postgres.ts';
import { startRedis } from '@flotilla/embedded/start-redis.ts';
import { memoryLimitBytes } from '@flotilla/runtime/process-metrics.ts';
import { type Kept, keepStores } from './kept-settings.ts';
import { supervise } from './supervise.ts';

export type Stores = { DATABASE_URL: string; REDIS_URL: string };

/** Redis may fill this part of the memory; a full one refuses updates, which the platform keeps. */
const SHARE_OF_MEMORY = 1 / 4;
const IN_USE = /in use/i;

type Wanted = {
  dataDir: string;
  /** Stores that run elsewhere. */
  given: { DATABASE_URL?: string | undefined; REDIS_URL?: string | undefined };
  /** Their addresses at the last start, which others may have been told. */
  kept: Kept;
  /** For trying: it takes the Postgres of the npm package first, and installs a missing Redis if it may. */
  demo: boolean;
  report: (line: string) => void;
};

/** Starts the stores that are not given, over the data of the directory. They end with this process, however it ends. */
export async function bringStores(wanted: Wanted): Promise<Stores & { stop(): Promise<void> }> {
  const { given } = wanted;
  const starting = await Promise.allSettled([
    given.DATABASE_URL === undefined ? bringPostgres(wanted) : { url: given.DATABASE_URL, stop: async () => {} },
    given.REDIS_URL === undefined ? bringRedis(wanted) : { url: given.REDIS_URL, stop: async () => {} },
  ]);
  const [postgres, redis] = starting;
  const stop = async () => {
    await Promise.all(starting.map((one) => (one.status === 'fulfilled' ? one.value.stop() : null)));
  };
  if (postgres.status === 'rejected' || redis.status === 'rejected') {
    await stop();
    throw [postgres, redis].find((one) => one.status === 'rejected')?.reason;
  }
  const stores = { DATABASE_URL: postgres.value.url, REDIS_URL: redis.value.url };
  const { DATABASE_URL, REDIS_URL } = stores;
  await keepStores(wanted.dataDir, {
    ...(given.DATABASE_URL === undefined && { DATABASE_URL }),
    ...(given.REDIS_URL === undefined && { REDIS_URL }),
  });
  return { ...stores, stop };
}

type Brought = { url: string; stop(): Promise<void> };

async function bringPostgres({ dataDir, kept, demo, report }: Wanted): Promise<Brought> {
  const choice = demo ? 'embedded' : 'installed';
  const start = onOnePort(kept.DATABASE_URL, (port) => startPostgres({ dataDir, port, choice, report }));
  const { first, stop } = await supervise('Postgres', start, report);
  if (first.isEmbedded && !demo) {
    report('Postgres is the one of the npm package, which is for trying: install Postgres 16 or later for real use.');
  }
  return { url: first.url, stop };
}

async function bringRedis({ dataDir, kept, demo, report }: Wanted): Promise<Brought> {
  const password = kept.REDIS_URL ? new URL(kept.REDIS_URL).password : randomBytes(24).toString('base64url');
  const directives = { maxmemory: String(Math.floor(memoryLimitBytes() * SHARE_OF_MEMORY)) };
  const start = onOnePort(kept.REDIS_URL, (port) =>
    startRedis({ dataDir, port, password, directives, install: demo, report }),
  );
  const { first, stop } = await supervise('Redis', start, report);
  return { url: first.url, stop };
}

/** Starts on the port of before, which processes beside this one know, or else on a free one. */
function onOnePort<Store extends { port: number }>(
  url: string | undefined,
  start: (port: number | undefined) => Promise<Store>,
): (before: Store | null) => Promise<Store> {
  const known = url ? Number(new URL(url).port) : undefined;
  return async (before) => {
    if (before !== null) return start(before.port);
    return start(known).catch((error: unknown) => {
      if (known === undefined || !IN_USE.test(String(error))) throw error;
      return start(undefined);
    });
  };
}
