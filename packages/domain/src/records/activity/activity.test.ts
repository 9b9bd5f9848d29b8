import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, HOUR_MS, rollUpTurnKey } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { activityKeys, storeCounts } from '@flotilla/testing/activity-counts.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deletionStore } from '../../fleet/bots/deletion-store.ts';
import { removeDeleted } from '../retention/remove-deleted.ts';
import { removeExpired } from '../retention/remove-expired.ts';
import { waitingSample } from './note-waiting.ts';
import { type ActivityQuery, readActivity } from './read-activity.ts';
import { readFleetRates } from './read-fleet-rates.ts';
import { qualityKey, readQualities } from './read-readers.ts';
import { bucketOf, READER_PLACES } from './reader-counts.ts';
import { rollUpActivity } from './roll-up-activity.ts';

const START_MS = Date.parse('2027-01-15T08:00:00Z');
const MINUTE_MS = 60_000;

let server: TestRedis;
let redis: RedisHandles;
let database: TestDatabase;
let nowMs: number;
const clock = { nowMs: () => nowMs };

beforeAll(async () => {
  [server, database] = await Promise.all([startTestRedis(), testDatabase()]);
  redis = await connectRedis({ url: server.url, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  await redis.close();
  await Promise.all([server.stop(), database.drop()]);
});
beforeEach(async () => {
  await redis.commands.flushall();
  await database.db.deleteFrom('activity_hours').execute();
  nowMs = START_MS;
});

/** Stores counts as the scripts do. */
async function counted(botId: number, atMs: number, text: string): Promise<void> {
  for (const key of activityKeys(botId, atMs)) await storeCounts(redis.commands, key, atMs, text);
}

describe('the rates of the fleet', () => {
  test('are those of the last complete minutes, over all shards and the turn of an hour', async () => {
    nowMs = START_MS + 2 * MINUTE_MS + 30_000;
    await counted(1, START_MS - 4 * MINUTE_MS, '7000 7000 7000 7000 7000');
    await counted(1, START_MS - 3 * MINUTE_MS, '300 0 0 0 0');
    await counted(2, START_MS - MINUTE_MS, '300 150 30 60 900');
    await counted(1, START_MS + MINUTE_MS, '0 150 0 0 0');
    await counted(2, START_MS + 2 * MINUTE_MS, '7000 7000 7000 7000 7000');
    expect(await readFleetRates({ redis, clock })).toEqual({
      in: 2,
      delivered: 1,
      failed: 0.1,
      retried: 0.2,
      calls: 3,
    });
  });

  test('are zero where nothing was counted', async () => {
    const none = { in: 0, delivered: 0, failed: 0, retried: 0, calls: 0 };
    expect(await readFleetRates({ redis, clock })).toEqual(none);
  });
});

const ofBot = (botId: number) => ({ botId, readers: ['push', 'rules'], reader: null });
const NONE = { quality: null, in: 0, delivered: 0, failed: 0, retried: 0, calls: 0 };
const read = (query: Partial<ActivityQuery>) =>
  readActivity({ db: database.db, redis, clock }, { of: null, step: 'hour', ...query });
const total = async (query: Partial<ActivityQuery>) => (await read(query)).reduce((sum, point) => sum + point.in, 0);
/** Does the work of a worker whose last time was a minute ago. */
async function rollUp(botIds: number[]): Promise<number> {
  await redis.commands.del(rollUpTurnKey);
  return rollUpActivity({ db: database.db, redis, clock, directory: { all: () => botIds.map((id) => aBot({ id })) } });
}

describe('reading', () => {
  test('by minute shows every minute, zeros in the gaps, and the running one', async () => {
    await counted(7, START_MS - 2 * MINUTE_MS, '5 4 1 2 3');
    await counted(7, START_MS, '1 0 0 0 0');
    await counted(8, START_MS, '10 0 0 0 0');
    nowMs = START_MS + 30_000;
    const fromS = START_MS / 1000 - 150;
    expect(await read({ of: ofBot(7), step: 'minute', fromS })).toEqual([
      { ...NONE, atMs: START_MS - 3 * MINUTE_MS },
      { quality: null, atMs: START_MS - 2 * MINUTE_MS, in: 5, delivered: 4, failed: 1, retried: 2, calls: 3 },
      { ...NONE, atMs: START_MS - MINUTE_MS },
      { ...NONE, atMs: START_MS, in: 1 },
    ]);
    expect((await read({ step: 'minute', fromS })).at(-1)).toEqual({ ...NONE, atMs: START_MS, in: 11 });
    expect(await read({ of: ofBot(7), step: 'minute', fromS, toS: START_MS / 1000 })).toHaveLength(3);
  });

  test('shows an hour of minutes or a day of hours unless asked otherwise', async () => {
    nowMs = START_MS + 30_000;
    const [minutes, hours] = [await read({ step: 'minute' }), await read({ step: 'hour' })];
    expect([minutes.length, minutes.at(-1)?.atMs]).toEqual([60, START_MS]);
    expect([hours.length, hours.at(-1)?.atMs]).toEqual([24, START_MS]);
  });

  test('refuses a time that is too far back, in the future, or ends before it begins', async () => {
    const nowS = START_MS / 1000;
    const oldestS = { minute: nowS - 49 * 3600, hour: nowS - 90 * 86_400 };
    expect(await read({ step: 'minute', fromS: oldestS.minute })).toHaveLength(49 * 60 + 1);
    expect(await read({ step: 'hour', fromS: oldestS.hour })).toHaveLength(90 * 24 + 1);
    await expect(read({ step: 'minute', fromS: oldestS.minute - 1 })).rejects.toThrow(/from .*49 hours.*step=hour/);
    await expect(read({ step: 'hour', fromS: oldestS.hour - 1 })).rejects.toThrow(/from .*90 days/);
    await expect(read({ fromS: nowS + 7200 })).rejects.toThrow(/from must be before/);
    await expect(read({ fromS: nowS - 60, toS: nowS - 7200 })).rejects.toThrow(/from must be before/);
  });
});

describe('what readers that send did', () => {
  const counted = (reader: string, atMs: number, places: Record<number, number>) => {
    const first = (Math.floor(atMs / MINUTE_MS) % 60) * READER_PLACES;
    const fields = Object.entries(places).map(([place, count]) => [first + Number(place), count] as const);
    return redis.commands.hset(
      botKeys(7).readerMinutes(reader, Math.floor(atMs / HOUR_MS)),
      Object.fromEntries(fields),
    );
  };
  const FIRST = 4;

  test('is read for one of them, and its attempts for all together', async () => {
    nowMs = START_MS + 30_000;
    const at = START_MS - 5 * MINUTE_MS;
    await counted('push', at, { 1: 1, 2: 2, 3: 3, [FIRST + bucketOf(100)]: 8, [FIRST + bucketOf(60_000)]: 2 });
    await counted('rules', at, { 0: 4, [FIRST + bucketOf(400)]: 10 });
    const fromS = at / 1000;
    const query = { step: 'minute', fromS, toS: fromS + 60 } as const;
    const [push] = await read({ ...query, of: { ...ofBot(7), reader: 'push' } });
    expect(push).toMatchObject({ in: 0, delivered: 7, failed: 1, retried: 2, quality: { success_ratio: 0.7 } });
    expect(push!.quality!.p95_ms).toBeGreaterThan(40_000);
    const [rules] = await read({ ...query, of: { ...ofBot(7), reader: 'rules' } });
    expect(rules).toMatchObject({ delivered: 4, quality: { success_ratio: 1 } });
    const [all] = await read({ ...query, of: ofBot(7) });
    expect(all).toMatchObject({ quality: { success_ratio: 0.85 } });
    expect(await read({ of: { ...ofBot(7), reader: 'push' } })).toHaveLength(24);
    const tooOld = { of: { ...ofBot(7), reader: 'push' }, fromS: fromS - 26 * 3600 };
    await expect(read(tooOld)).rejects.toThrow(/from .*25 hours/);
  });

  test('of the last hour is how each of them does now; without an attempt there is nothing', async () => {
    nowMs = START_MS + 30_000;
    await counted('push', START_MS - 61 * MINUTE_MS, { [FIRST + bucketOf(9000)]: 5 });
    await counted('push', START_MS - 59 * MINUTE_MS, { [FIRST + bucketOf(20)]: 4, 3: 1 });
    const of = ['push', 'rules'].map((reader) => ({ botId: 7, reader }));
    const qualities = await readQualities({ redis, clock }, of);
    expect([...qualities.keys()]).toEqual([qualityKey(7, 'push')]);
    const push = qualities.get(qualityKey(7, 'push'))!;
    expect(push.success_ratio).toBe(0.75);
    expect(push.p95_ms).toBeLessThanOrEqual(24);
  });
});

describe('rolling up', () => {
  let bot: number;
  beforeEach(async () => {
    bot = await storedBot(database.db);
    await counted(bot, START_MS - 3 * HOUR_MS, '1 0 0 0 0');
    await counted(bot, START_MS - 2 * HOUR_MS, '2 2 2 2 2');
    await counted(bot, START_MS - 2 * HOUR_MS + 59 * MINUTE_MS, '20 1 0 0 0');
    await counted(bot, START_MS - MINUTE_MS, '300 0 0 0 0');
    await counted(bot, START_MS, '4000 0 0 0 0');
  });

  test('keeps closed hours beyond what Redis keeps, and hours of both stores add up', async () => {
    nowMs = START_MS + 60_000;
    expect(await total({})).toBe(4323);
    await rollUp([bot]);
    const rows = await database.db.selectFrom('activity_hours').selectAll().where('bot_id', '=', bot).execute();
    // The last hour has been over for a minute only: a process may still count in it.
    expect(rows.map(({ at, received }) => [at.getTime(), received])).toEqual([
      [START_MS - 3 * HOUR_MS, 1],
      [START_MS - 2 * HOUR_MS, 22],
    ]);
    expect([await total({}), await total({ of: ofBot(bot) })]).toEqual([4323, 4323]);
    nowMs = START_MS + 120_000;
    await rollUp([bot]);
    await redis.commands.flushall();
    expect([await total({}), await total({ of: ofBot(bot) })]).toEqual([323, 323]);
    expect((await read({ of: ofBot(bot) })).at(-3)).toMatchObject({
      in: 22,
      delivered: 3,
      failed: 2,
      retried: 2,
      calls: 2,
    });
  });

  test('writes the same when it is done twice, and after an hour that was interrupted', async () => {
    nowMs = START_MS + HOUR_MS;
    const written = [await rollUp([bot]), await rollUp([bot]), await rollUp([bot])];
    // Hours with activity are written two at a time, all others at once.
    expect(written).toEqual([48 - 1, 1, 0]);
    const rows = () => database.db.selectFrom('activity_hours').selectAll().orderBy('bot_id').orderBy('at').execute();
    const before = await rows();
    // Killed before the last statement: the bots' rows are there, the fleet's are not.
    await database.db.deleteFrom('activity_hours').where('bot_id', '=', 0).execute();
    expect(await total({ of: ofBot(bot) })).toBe(4323);
    await rollUp([bot]);
    await rollUp([bot]);
    expect(await rows()).toEqual(before);
  });

  test('two workers at once count nothing twice', async () => {
    nowMs = START_MS + HOUR_MS;
    const deps = { db: database.db, redis, clock, directory: { all: () => [aBot({ id: bot })] } };
    await redis.commands.del(rollUpTurnKey);
    const first = rollUpActivity(deps);
    // The turn of the first one expires while it works.
    await waitFor(() => redis.commands.del(rollUpTurnKey));
    await Promise.all([first, rollUpActivity(deps)]);
    expect(await total({ of: ofBot(bot) })).toBe(4323);
  });

  test('takes nothing away when Redis has lost its counts', async () => {
    nowMs = START_MS + HOUR_MS;
    await rollUp([bot]);
    await database.db.deleteFrom('activity_hours').where('bot_id', '=', 0).execute();
    await redis.commands.flushall();
    await counted(bot, START_MS - 2 * HOUR_MS, '3 3 3 3 3');
    await rollUp([bot]);
    expect((await read({ of: ofBot(bot) })).find(({ in: accepted }) => accepted > 0)).toMatchObject({ in: 1 });
    expect(
      await database.db
        .selectFrom('activity_hours')
        .select(['received', 'calls'])
        .where('bot_id', '=', bot)
        .where('received', '=', 22)
        .execute(),
    ).toEqual([{ received: 22, calls: 3 }]);
  });

  test('writes nothing of a bot that is gone, whose part of the fleet stays', async () => {
    nowMs = START_MS + HOUR_MS;
    await database.db.deleteFrom('bots').where('id', '=', bot).execute();
    await rollUp([bot]);
    await rollUp([bot]);
    await redis.commands.del(botKeys(bot).activity(START_MS / HOUR_MS));
    expect(await database.db.selectFrom('activity_hours').select('at').where('bot_id', '=', bot).execute()).toEqual([]);
    expect(await total({})).toBe(4323);
  });
});

/** A worker looks at the fleet: so much waits for each of these bots. */
async function sampled(atMs: number, waiting: Record<number, number>): Promise<boolean> {
  const sample = await waitingSample({ redis }, atMs);
  const bots = Object.entries(waiting).map(([id, count]) => ({ botId: Number(id), count }));
  await sample?.noteBots(bots);
  await sample?.noteFleet(bots.reduce((sum, { count }) => sum + count, 0));
  return sample !== null;
}

describe('what waits', () => {
  const waitingIn = async (query: Partial<ActivityQuery>) =>
    (await read(query)).flatMap(({ atMs, waiting }) => (waiting === undefined ? [] : [[atMs - START_MS, waiting]]));

  test('is known of the minutes in which somebody looked, which is once in each', async () => {
    expect(await sampled(START_MS - 2 * MINUTE_MS, { 7: 5, 8: 20 })).toBe(true);
    expect(await sampled(START_MS - MINUTE_MS + 10_000, {})).toBe(true);
    expect(await sampled(START_MS - MINUTE_MS + 40_000, { 7: 9 })).toBe(false);
    nowMs = START_MS + 30_000;
    const ago = [-2 * MINUTE_MS, -MINUTE_MS];
    expect(await waitingIn({ step: 'minute' })).toEqual([
      [ago[0], 25],
      [ago[1], 0],
    ]);
    expect(await waitingIn({ step: 'minute', of: ofBot(7) })).toEqual([
      [ago[0], 5],
      [ago[1], 0],
    ]);
    expect(await waitingIn({ step: 'minute', of: ofBot(9) })).toEqual([
      [ago[0], 0],
      [ago[1], 0],
    ]);
  });

  test('of an hour is the most of its minutes, also when only Postgres has it, and if nothing happened in it', async () => {
    const [bot, idle] = [await storedBot(database.db), await storedBot(database.db)];
    await sampled(START_MS - 3 * HOUR_MS, { [bot]: 3 });
    await sampled(START_MS - 3 * HOUR_MS + MINUTE_MS, { [bot]: 40, [idle]: 1 });
    await sampled(START_MS - 3 * HOUR_MS + 2 * MINUTE_MS, { [bot]: 7 });
    await counted(bot, START_MS - 2 * HOUR_MS, '1 1 0 0 0');
    await sampled(START_MS - HOUR_MS, {});
    nowMs = START_MS + 120_000;
    // Nobody looked in the second hour, and the third one was a good one.
    const known = [
      [{}, 41],
      [{ of: ofBot(bot) }, 40],
      [{ of: ofBot(idle) }, 1],
    ] as const;
    const expected = (most: number) => [
      [-3 * HOUR_MS, most],
      [-HOUR_MS, 0],
    ];
    for (const [query, most] of known) expect(await waitingIn(query)).toEqual(expected(most));
    for (let round = 0; round < 3; round += 1) await rollUp([bot, idle]);
    await redis.commands.flushall();
    for (const [query, most] of known) expect(await waitingIn(query)).toEqual(expected(most));
  });
});

describe('hours in Postgres', () => {
  const steps = () => ({ db: database.db, signal: new AbortController().signal, clock, stepRows: 2 });
  const keep = async (botId: number, ages: number[]) => {
    const counts = { received: 1, delivered: 0, failed: 0, retried: 0, calls: 0 };
    const rows = ages.map((hours) => ({ bot_id: botId, at: new Date(START_MS - hours * HOUR_MS), ...counts }));
    await database.db.insertInto('activity_hours').values(rows).execute();
  };
  const left = (botId: number) =>
    database.db.selectFrom('activity_hours').select('at').where('bot_id', '=', botId).orderBy('at').execute();

  test('are removed after 90 days', async () => {
    await keep(0, [1, 90 * 24, 90 * 24 + 1, 100 * 24, 101 * 24]);
    expect(await removeExpired(steps(), { messages: 0, audit: 0 })).toBe('done');
    expect((await left(0)).map(({ at }) => (START_MS - at.getTime()) / HOUR_MS)).toEqual([90 * 24, 1]);
  });

  test('are removed with their bot', async () => {
    const [kept, deleted] = [await storedBot(database.db), await storedBot(database.db)];
    for (const id of [kept, deleted]) await keep(id, [1, 2, 3]);
    await database.db.deleteFrom('bots').where('id', '=', deleted).execute();
    await deletionStore(database.db).addBot(deleted);
    expect(await removeDeleted(steps())).toBe('done');
    expect([await left(kept), await left(deleted)].map((rows) => rows.length)).toEqual([3, 0]);
  });
});
