import { botKeys } from '@flotilla/redis/keys.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { logScene } from '@flotilla/testing/log-scene.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { attemptLine } from '../../records/journal/attempt-line.ts';
import { type AttemptOfBot, type FleetCursor, listFailedAttempts } from './list-failed-attempts.ts';

/** More than a page looks at. */
const BOTS = Array.from({ length: 700 }, (_, at) => aBot({ id: at + 1 }));
const FAILED_AT_MS = [50_000, 30_000, 10_000];
const LIMIT = 400;
const WANTED = new AbortController().signal;

const scene = logScene();
let database: TestDatabase;

beforeAll(async () => {
  await scene.open();
  database = await testDatabase();
});
beforeEach(() => scene.clear());
afterAll(async () => {
  await database.drop();
  await scene.close();
});

/** Each bot fails three times, the last bot with another status. `apartMs`: how much earlier than the bot before it. */
async function failAll(apartMs: number): Promise<void> {
  const base = { updateId: 1, chatId: 5, outcome: 'failed', durationMs: 1, attempt: 1, revision: 2 } as const;
  await Promise.all(
    BOTS.map(async ({ id }) => {
      const status = id === BOTS.length ? 404 : 502;
      const times = FAILED_AT_MS.map((atMs) => 1_000_000 + atMs - id * apartMs);
      const { attempts, failing } = botKeys(id);
      await scene.redis().commands.rpush(attempts, ...times.map((atMs) => attemptLine({ ...base, status, atMs })));
      await scene.redis().commands.zadd(failing, times[0]!, id);
    }),
  );
}

async function everyPage(query: Parameters<typeof listFailedAttempts>[2]): Promise<AttemptOfBot[][]> {
  const pages: AttemptOfBot[][] = [];
  let before: FleetCursor | null = null;
  do {
    const deps = { db: database.db, redis: scene.redis() };
    const { attempts, next } = await listFailedAttempts(deps, BOTS, query, { limit: LIMIT, before }, WANTED);
    pages.push(attempts);
    before = next;
  } while (before !== null && pages.length < 50);
  expect(before).toBeNull();
  return pages;
}

test('pages go on until the last of very many bots that failed, newest first, and each attempt once', async () => {
  await failAll(10);
  const pages = await everyPage({});
  expect(pages[0]).toHaveLength(LIMIT);
  const listed = pages.flat();
  expect(listed).toHaveLength(BOTS.length * FAILED_AT_MS.length);
  expect(new Set(listed.map(({ botId, atMs }) => `${botId} ${atMs}`)).size).toBe(listed.length);
  const times = listed.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((one, other) => other - one));
});

test.each([
  ['one after another', 10],
  ['in the same millisecond', 0],
])('one that matches is found behind very many that do not, which failed %s', async (_how, apartMs) => {
  await failAll(apartMs);
  const pages = await everyPage({ status: { from: 404, to: 404 } });
  expect(pages.flat().map(({ botId }) => botId)).toEqual(FAILED_AT_MS.map(() => BOTS.length));
  // Otherwise one call would look through all of them.
  expect(pages.length).toBeGreaterThan(1);
});

test('bots that failed before the time that is asked for are not looked at', async () => {
  await failAll(10);
  const pages = await everyPage({ sinceMs: 1_000_000 + FAILED_AT_MS[0]! - 20 });
  expect(pages.map((page) => page.map(({ botId }) => botId))).toEqual([[1, 2]]);
});

test('a replayed copy that failed is not listed: Redis notes no failure of it', async () => {
  const { attempts, failing } = botKeys(1);
  const base = {
    updateId: 1,
    chatId: 5,
    outcome: 'failed',
    durationMs: 1,
    attempt: 1,
    revision: 2,
    status: 502,
  } as const;
  const lines = [
    { ...base, atMs: 1_000 },
    { ...base, atMs: 2_000, replay: 'rc1' },
  ].map(attemptLine);
  await scene.redis().commands.rpush(attempts, ...lines);
  await scene.redis().commands.zadd(failing, 1_000, 1);
  expect((await everyPage({})).flat().map(({ atMs }) => atMs)).toEqual([1_000]);
});
