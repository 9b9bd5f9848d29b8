import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { followDirectory } from '@flotilla/domain/fleet/bots/follow-directory.ts';
import { reconcileBots } from '@flotilla/domain/fleet/bots/reconcile-bots.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { turnQueue } from '@flotilla/redis/turn-queue.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { ADMIN_KEY, FLEET_ENCRYPTION_KEY, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { insertManyBots } from '@flotilla/testing/many-bots.ts';
import { cpuMeter } from './cpu-meter.ts';
import { percentile } from './percentile.ts';
import { ms, report } from './report.ts';

const BOTS = 10_000;
const CALLS = 40;
const AT_ONCE = 100;
/** Pauses after which an older state is shown: one that was read meanwhile, and one that is read again. */
const PAUSES = { 'after 5.1 s': 5_100, 'each 1.1 s': 1_100 };
const LATE_CALLS = 10;

const PAGES: Record<string, Record<string, string>> = {
  plain: {},
  'a part of the name': { q: 'many_77' },
  'a name of nobody': { q: 'nobody' },
  'a common state': { state: 'ok' },
  'a rare state': { state: 'open' },
  'sorted by name': { sort: 'name' },
  'sorted by what waits': { sort: 'pending' },
  'sorted by the last update': { sort: 'last_update' },
  'a state, sorted by what waits': { state: 'failing', sort: 'pending' },
  'with something wrong of a kind': { attention: 'backend_open' },
};

const ATTENTION: Record<string, Record<string, string>> = {
  'GET /api/attention': {},
  '  of one kind': { kinds: 'backend_open' },
};

/** Pages of 50 of the list of bots, by REST, from one api: in a row, and each so late that the states are read anew. */
export async function benchBots(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 0 }, { LOG_LEVEL: 'error' }, database);
  const db = connectDatabase({ url: database.url, maxConnections: 2 });
  const redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
  try {
    await makeBots(db, redis);
    const url = `http://127.0.0.1:${fleet.apis[0]!.port}`;
    const cpu = cpuMeter(fleet.apis[0]!.pid, redis);
    await ask(url, {});
    const figures: { what: string; figure: string; target?: string }[] = [];
    for (const query of [{ state: 'ok' }, { sort: 'pending' }, { sort: 'last_update' }]) {
      const what = `the first read of this process, ${JSON.stringify(query)}`;
      figures.push({ what, figure: ms(await ask(url, query)) });
    }
    for (const [what, query] of Object.entries(PAGES)) {
      const took = await askAll(url, query, CALLS, 0);
      figures.push({ what: `${what}, p50 / p95`, figure: inWords(took), target: 'p95 ≤ 50 ms' });
      const readsStates = 'state' in query || 'attention' in query || (query.sort ?? 'name') !== 'name';
      if (!readsStates) continue;
      for (const [when, pauseMs] of Object.entries(PAUSES)) {
        figures.push({ what: `  ${when}`, figure: await askLate(url, query, pauseMs, cpu), target: 'p95 ≤ 50 ms' });
      }
    }
    for (const [what, query] of Object.entries(ATTENTION)) {
      const took = await askAll(url, query, CALLS, 0, '/api/attention');
      figures.push({ what: `${what}, p50 / p95`, figure: inWords(took), target: 'p95 ≤ 50 ms' });
      const late = await askAll(url, query, LATE_CALLS, PAUSES['each 1.1 s'], '/api/attention');
      figures.push({ what: '  each 1.1 s', figure: inWords(late), target: 'p95 ≤ 50 ms' });
    }
    report(`Pages of the list of ${BOTS.toLocaleString('en')} bots`, figures);
  } finally {
    await redis.close();
    await db.destroy();
    await fleet.stop();
  }
}

/** Each call reads the states of the whole fleet. Its processor time hardly depends on other load. */
async function askLate(
  url: string,
  query: Record<string, string>,
  pauseMs: number,
  cpu: ReturnType<typeof cpuMeter>,
): Promise<string> {
  let took: number[] = [];
  const cost = await cpu.perUpdate(LATE_CALLS, async () => {
    took = await askAll(url, query, LATE_CALLS, pauseMs);
    return 0;
  });
  return `${inWords(took)}; CPU of a call: api ${ms(cost.workerUs / 1000)}, Redis ${ms(cost.redisUs / 1000)}`;
}

const inWords = (took: number[]): string => `${ms(percentile(took, 50))} / ${ms(percentile(took, 95))}`;

async function askAll(
  url: string,
  query: Record<string, string>,
  calls: number,
  pauseMs: number,
  path = '/api/bots',
): Promise<number[]> {
  const took: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    await delay(pauseMs);
    took.push(await ask(url, query, path));
  }
  return took;
}

/** Milliseconds until the page was read. */
async function ask(url: string, query: Record<string, string>, path = '/api/bots'): Promise<number> {
  const begunAt = performance.now();
  const search = new URLSearchParams({ limit: '50', ...query });
  const answer = await fetch(`${url}${path}?${search}`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return performance.now() - begunAt;
}

/** Bots of which one in a hundred fails, one in a thousand has an open breaker, and one in ten has a backlog. */
export async function makeBots(db: Database, redis: RedisHandles): Promise<void> {
  await insertManyBots(db, BOTS, () => 'http://127.0.0.1:9');
  const log = createLogger({ name: 'bench', level: 'error' });
  const secrets = secretBox(FLEET_ENCRYPTION_KEY);
  const directory = await followDirectory({ redis, secrets, log });
  await reconcileBots({
    db,
    redis,
    secrets,
    directory,
    turns: { push: turnQueue(redis, 'push') },
    clock: systemClock,
    log,
  });
  const bots = directory.all();
  const nowMs = Date.now();
  const fieldsOf = (at: number) => ({
    pollOkAt: nowMs + 3_600_000,
    updateAt: nowMs - ((at * 7_919) % 100_000),
    n: 1_000,
    filedN: at % 10 === 0 ? (at * 31) % 1_000 : 1_000,
    ...(at % 100 === 0 ? { failSince: nowMs } : {}),
    ...(at % 1_000 === 0 ? { closedUntil: nowMs + 3_600_000 } : {}),
  });
  for (let from = 0; from < bots.length; from += AT_ONCE) {
    const some = bots.slice(from, from + AT_ONCE);
    await redis.runMany(
      some.map((bot, at) => ['hset', botKeys(bot.id).state, ...Object.entries(fieldsOf(from + at)).flat()]),
    );
  }
  directory.close();
}
