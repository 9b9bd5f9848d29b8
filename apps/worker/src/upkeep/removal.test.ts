import { randomBytes } from 'node:crypto';
import { deletionStore } from '@flotilla/domain/fleet/bots/deletion-store.ts';
import { OPERATOR } from '@flotilla/domain/people/audit/actor.ts';
import { confirmRemovals, isUnusual, waitingRemovals } from '@flotilla/domain/records/retention/confirm-removals.ts';
import { planRemovals } from '@flotilla/domain/records/retention/plan-removals.ts';
import { type Clock, systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { administer, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readWorkerConfig } from '../config.ts';
import { startRemoval } from './removal.ts';

const DAY_S = 86_400;

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});

afterAll(async () => {
  await database.drop();
});

const log = createLogger({ name: 'test', level: 'silent' });
const startWith = (clock: Clock) => {
  const ahead: number[] = [];
  const removed: Record<string, number> = {};
  const measure = {
    clockAhead: { set: (seconds: number) => ahead.push(seconds) },
    removedRows: {
      inc: ({ table }: { table: string }, rows: number) => {
        removed[table] = (removed[table] ?? 0) + rows;
      },
    },
  };
  return {
    ahead,
    removed,
    ...startRemoval({
      db: database.db,
      log,
      clock,
      measure,
      config: { retentionDays: { messages: 7, audit: 0, deadLetters: 0, events: 30, outbox: 30 } },
    }),
  };
};

const NOTHING_ELSE = { messages: 0, audit: 0, deadLetters: 0, events: 0, outbox: 0 };
const isOfJournal = ({ table }: { table: string }) => table === 'journal_pages';

async function left(): Promise<number[]> {
  const rows = await database.db.selectFrom('messages').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

test('a worker removes what was deleted and what has expired, and stops in the middle of it', async () => {
  const [kept, deleted] = [await storedBot(database.db), await storedBot(database.db)];
  const nowS = Math.floor(Date.now() / 1000);
  await storeMessages(database.db, kept, [
    { chat_id: 1, id: 1, date: nowS - 8 * DAY_S, text: 'old' },
    { chat_id: 1, id: 2, date: nowS - 6 * DAY_S, text: 'young' },
  ]);
  const gone = Array.from({ length: 2500 }, (_, at) => ({ chat_id: 1, id: at + 100, date: nowS, text: 'gone' }));
  await storeMessages(database.db, deleted, gone);
  await database.db.deleteFrom('bots').where('id', '=', deleted).execute();
  await deletionStore(database.db).addBot(deleted);
  const first = startWith(systemClock);
  await waitFor(async () => (await left()).length < 2000);
  await first.stop();
  const second = startWith(systemClock);
  await waitFor(async () => (await left()).length === 1);
  await second.stop();
  expect(await left()).toEqual([2]);
});

test.each([
  ['ten days ahead of', 10 * DAY_S],
  ['ten days behind', -10 * DAY_S],
])('a worker whose clock is %s that of Postgres says so and removes nothing', async (_name, aheadS) => {
  const bot = await storedBot(database.db);
  const nowS = Math.floor(Date.now() / 1000);
  await storeMessages(database.db, bot, [{ chat_id: 1, id: 3, date: nowS - 8 * DAY_S, text: 'old' }]);
  const before = await left();
  const removal = startWith({ nowMs: () => Date.now() + aheadS * 1000 });
  await waitFor(() => removal.refusal() !== null);
  await removal.stop();
  expect(removal.refusal()).toContain(`${10 * DAY_S} s ${aheadS > 0 ? 'ahead of' : 'behind'} that of Postgres`);
  expect(Math.round(removal.ahead[0]!)).toBe(aheadS);
  expect(await left()).toEqual(before);
});

test('what has expired is judged by the clock of Postgres, also by a worker whose clock is a little wrong', async () => {
  const bot = await storedBot(database.db);
  const nowS = Math.floor(Date.now() / 1000);
  const near = { chat_id: 2, id: 9, date: nowS - 7 * DAY_S + 20, text: 'expires in 20 s' };
  await storeMessages(database.db, bot, [near, { ...near, id: 8, date: nowS - 8 * DAY_S }]);
  const removal = startWith({ nowMs: () => Date.now() + 40_000 });
  await waitFor(async () => !(await left()).includes(8));
  await removal.stop();
  expect(await left()).toContain(9);
});

test('a removal of far more than is usual waits until it is confirmed, as it was shown', async () => {
  const { db } = database;
  const bot = await storedBot(db);
  const nowS = Math.floor(Date.now() / 1000);
  const rows = Array.from({ length: 4000 }, (_, at) => ({ id: at + 1, date: nowS - (at < 3000 ? 8 : 1) * DAY_S }));
  for (const from of [0, 2000]) {
    await storeMessages(
      db,
      bot,
      rows.slice(from, from + 2000).map((row) => ({ chat_id: 7, text: 'x', ...row })),
    );
  }
  await administer(database.url, 'analyze messages');
  const waiting = startWith(systemClock);
  await waitFor(async () => (await waitingRemovals(db)).length > 0);
  const found = (await waitingRemovals(db))[0]!;
  await waiting.stop();
  expect(found).toMatchObject({ table: 'messages' });
  expect(Math.abs(found.rows - 3000)).toBeLessThan(600);
  expect((await left()).length).toBeGreaterThanOrEqual(4000);
  const events = await db.selectFrom('events').select('text').where('kind', '=', 'removal.waits').execute();
  expect(events).toHaveLength(1);
  const other = { table: 'messages', rows: found.rows + 1 };
  await expect(confirmRemovals(db, OPERATOR, other, systemClock)).rejects.toThrow('No such removal waits');
  await confirmRemovals(db, OPERATOR, { table: 'messages', rows: found.rows }, systemClock);
  const going = startWith(systemClock);
  await waitFor(async () => (await left()).length < 1100, { timeoutMs: 30_000 });
  expect((await db.selectFrom('removals').select('last_rows').execute())[0]?.last_rows).toBe(found.rows);
  await going.stop();
  expect(going.removed.messages).toBeGreaterThanOrEqual(3000);
  expect(await waitingRemovals(db)).toEqual([]);
});

test('of a large table, expired rows that came since the last ANALYZE are counted', async () => {
  const { db, url } = database;
  const insert = (rows: number, days: number) =>
    administer(
      url,
      `insert into events (kind, text, at)
        select 'bot.added', 'x', now() - interval '${days} days' from generate_series(1, ${rows})`,
    );
  await administer(url, 'alter table events set (autovacuum_enabled = off)');
  await insert(25_000, 1);
  await administer(url, 'analyze events');
  await insert(5_000, 40);
  const plans = await planRemovals({ db, clock: systemClock }, { ...NOTHING_ELSE, events: 30 });
  expect(plans.find(({ table }) => table === 'events')).toMatchObject({ rows: 5_000 });
});

test('the journal waits for a confirmation too, but not pages of quiet readers, which stay, nor a busy hour', async () => {
  const { db } = database;
  const bot = await storedBot(db);
  const old = new Date(Date.now() - 2 * DAY_S * 1000);
  const pages = (reader: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ key: `${reader} ${at}`, bot_id: bot, reader, newest_at: new Date(old.getTime() - at), oldest_at: old },
      ...{ first_update_id: at, last_update_id: at, failed: 0, lines: 'x' },
    }));
  for (let reader = 0; reader < 200; reader += 1) {
    await db
      .insertInto('journal_pages')
      .values(pages(`quiet ${reader}`, 9))
      .execute();
  }
  await administer(database.url, 'analyze journal_pages');
  const [plan] = (await planRemovals({ db, clock: systemClock }, NOTHING_ELSE)).filter(isOfJournal);
  expect(plan).toMatchObject({ rows: 0, total: 1800 });
  await db.insertInto('journal_pages').values(pages('push', 1_500)).execute();
  const usual = startWith(systemClock);
  await waitFor(() => usual.removed.journal_pages === 1_491);
  await usual.stop();
  await db.insertInto('journal_pages').values(pages('rules', 4_000)).execute();
  await administer(database.url, 'analyze journal_pages');
  const removal = startWith(systemClock);
  await waitFor(async () => (await waitingRemovals(db)).some(isOfJournal));
  await removal.stop();
  expect((await waitingRemovals(db)).find(isOfJournal)).toMatchObject({ rows: 3_991 });
  expect(removal.removed.journal_pages).toBeUndefined();
});

test.each([
  [{ rows: 999, total: 1000 }, null, false],
  [{ rows: 2000, total: 10_000 }, null, true],
  [{ rows: 900_000, total: 3_000_000 }, 850_000, false],
  [{ rows: 2_400_000, total: 30_000_000 }, 10_000, true],
  [{ rows: 120_000, total: 30_000_000 }, 10_000, false],
  [{ rows: 40_000, total: 100_000, usualShare: 0.5 }, null, false],
  [{ rows: 60_000, total: 100_000, usualShare: 0.5 }, 1_000, true],
])('of %j after a removal of %s, it is %s that it waits', (planned, last, waits) => {
  expect(isUnusual(planned, last)).toBe(waits);
});

test('how long things are kept is set in days, by either name', () => {
  const env = {
    DATABASE_URL: 'postgres://localhost/flotilla',
    REDIS_URL: 'redis://localhost',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  expect(readWorkerConfig(env).retentionDays).toEqual({
    ...{ messages: 0, audit: 0, deadLetters: 0, events: 30, outbox: 30 },
  });
  const set = { ...env, MESSAGE_RETENTION_DAYS: '30', AUDIT_RETENTION_DAYS: '365' };
  expect(readWorkerConfig(set).retentionDays).toMatchObject({ messages: 30, audit: 365 });
  const named = { RETENTION_MESSAGES_DAYS: '0', RETENTION_AUDIT_DAYS: '10', RETENTION_DEAD_LETTERS_DAYS: '11' };
  const others = { RETENTION_EVENTS_DAYS: '12', RETENTION_OUTBOX_DAYS: '0' };
  expect(readWorkerConfig({ ...set, ...named, ...others }).retentionDays).toEqual({
    ...{ messages: 0, audit: 10, deadLetters: 11, events: 12, outbox: 0 },
  });
  expect(() => readWorkerConfig({ ...env, MESSAGE_RETENTION_DAYS: '-1' })).toThrow(/MESSAGE_RETENTION_DAYS/);
});
