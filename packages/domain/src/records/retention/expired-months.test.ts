import { detachOldestMonth, lockedBriefly, makeMonths, readPartitions } from '@flotilla/database/month-partitions.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { type StoredMessage, storeMessages } from '@flotilla/testing/stored-messages.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { deletionStore } from '../../fleet/bots/deletion-store.ts';
import { OPERATOR } from '../../people/audit/actor.ts';
import { deleteChat } from '../chats/delete-chat.ts';
import { statsStore } from '../stats/stats-store.ts';
import { expiredMonthStore } from './expired-month-store.ts';
import { removeDeleted } from './remove-deleted.ts';
import { removeExpired } from './remove-expired.ts';

const [CHAT, OTHER] = [-5, 5];
const [ADA, BOB] = [77, 78];
const atS = (text: string) => Date.parse(`${text}Z`) / 1000;
const clock = { nowMs: () => Date.parse('2024-05-10T00:00Z') };
/** Of 2024: January has expired as a whole, February has in part. */
const DAYS = 80;

let database: TestDatabase;
let bot_id: number;

beforeEach(async () => {
  database = await testDatabase();
  bot_id = await storedBot(database.db);
  for (const table of ['messages', 'audit_log'] as const) {
    await makeMonths(database.db, table, atS('2024-01-01'), atS('2024-05-10'));
  }
});
afterEach(async () => {
  await database.drop();
});

let id = 0;
const message = (date: string, fields: Partial<StoredMessage> = {}): StoredMessage => {
  id += 1;
  return { chat_id: CHAT, id, date: atS(date), text: 'word', user_id: ADA, ...fields };
};
const store = (...messages: StoredMessage[]) => storeMessages(database.db, bot_id, messages);
const steps = (signal = new AbortController().signal) => ({ db: database.db, signal, stepRows: 3, clock });
const expire = (messages = DAYS, audit = 0) => removeExpired(steps(), { messages, audit });

async function stored(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from messages`.execute(database.db);
  return rows[0]!.count;
}

async function counted(chatId = CHAT): Promise<number | null> {
  const chats = database.db.selectFrom('chats').select('message_count').where('bot_id', '=', bot_id);
  return (await chats.where('id', '=', chatId).executeTakeFirst())?.message_count ?? null;
}

/** The stored counts of authors, after comparing them with a count over every message. */
async function authors(): Promise<number[][]> {
  const stats = statsStore(database.db);
  const chat = { bot_id, chat_id: CHAT };
  const top = await stats.topUsers(chat, 10);
  expect(top).toEqual(await stats.topUsersCounted(chat, 10));
  return top.map((user) => [user.id, user.message_count]);
}

const monthsOf = async (table: 'messages' | 'audit_log') =>
  (await readPartitions(database.db, table)).map(({ name }) => name.slice(table.length + 1));

test('a month that has expired goes as a whole, without being read row by row, and every count stays right', async () => {
  await store(
    ...Array.from({ length: 40 }, () => message('2024-01-31T23:59:59')),
    ...Array.from({ length: 7 }, () => message('2024-01-02', { user_id: BOB })),
    message('2024-01-03', { outgoing: true }),
    ...Array.from({ length: 5 }, () => message('2024-02-01')),
    ...Array.from({ length: 20 }, () => message('2024-01-03', { chat_id: OTHER })),
  );
  await sql`update messages set deleted_at = now() where id = any (array(
    select id from messages where user_id = ${BOB} order by id limit 2))`.execute(database.db);
  await sql`update chats set message_count = message_count - 2 where id = ${CHAT}`.execute(database.db);
  expect(await expire()).toBe('done');
  expect(await stored()).toBe(5);
  expect([await counted(), await counted(OTHER)]).toEqual([5, 0]);
  expect(await authors()).toEqual([[ADA, 5]]);
  expect(await database.db.selectFrom('chat_authors').select('user_id').execute()).toHaveLength(1);
  expect((await monthsOf('messages')).slice(0, 2)).toEqual(['before', '2024_02']);
  const { rows } = await sql`select from pg_class where relname = 'messages_2024_01'`.execute(database.db);
  expect([rows.length, await expiredMonthStore(database.db).first()]).toEqual([0, null]);
});

test('a late message of a month that has gone is stored and removed, with its count', async () => {
  await store(message('2024-01-03'), message('2024-02-03'));
  expect(await expire()).toBe('done');
  await store(message('2024-01-20'), message('2024-01-21'));
  expect([await stored(), await counted()]).toEqual([3, 3]);
  expect(await expire()).toBe('done');
  expect([await stored(), await counted()]).toEqual([1, 1]);
  expect(await authors()).toEqual([[ADA, 1]]);
});

test('short periods are kept to the day: their rows go one by one', async () => {
  await store(message('2024-03-10'), message('2024-04-12'), message('2024-04-09'));
  expect(await expire(30)).toBe('done');
  expect([await stored(), await counted()]).toEqual([1, 1]);
});

test('the audit log loses its months, too', async () => {
  const entry = { bot_id, action: 'ban', actor_kind: 'bot', actor_id: bot_id } as const;
  const dates = ['2023-12-31', '2024-01-01', '2024-01-31', '2024-02-01', '2024-05-01'];
  await database.db
    .insertInto('audit_log')
    .values(dates.map((date) => ({ ...entry, date: atS(date) })))
    .execute();
  expect(await expire(0, DAYS)).toBe('done');
  const left = await database.db.selectFrom('audit_log').select('date').orderBy('date').execute();
  expect(left.map(({ date }) => date)).toEqual([atS('2024-02-01'), atS('2024-05-01')]);
  expect((await monthsOf('audit_log')).slice(0, 2)).toEqual(['before', '2024_02']);
});

test('counts that were interrupted are continued, each message once', async () => {
  await store(...Array.from({ length: 60 }, () => message('2024-01-05')), message('2024-03-01'));
  const interrupted = new AbortController();
  const running = removeExpired(steps(interrupted.signal), { messages: DAYS, audit: 0 });
  while ((await counted()) === 61) await new Promise((resolve) => setImmediate(resolve));
  interrupted.abort();
  expect(await running).toBe('aborted');
  expect(await stored()).toBe(1);
  expect(await counted()).toBeGreaterThan(1);
  expect(await expire(0)).toBe('done');
  expect(await counted()).toBe(1);
  expect(await authors()).toEqual([[ADA, 1]]);
});

test('a chat that is deleted meanwhile and begins anew keeps its new count', async () => {
  await store(...Array.from({ length: 60 }, () => message('2024-01-05')), message('2024-03-01'));
  const interrupted = new AbortController();
  const running = removeExpired(steps(interrupted.signal), { messages: DAYS, audit: 0 });
  while ((await counted()) === 61) await new Promise((resolve) => setImmediate(resolve));
  interrupted.abort();
  await running;
  await deleteChat({ db: database.db, clock: systemClock }, OPERATOR, bot_id, CHAT);
  await store(message('2024-05-01'), message('2024-05-02'));
  expect(await removeDeleted({ ...steps(), clock: systemClock })).toBe('done');
  expect(await expire(0)).toBe('done');
  expect(await removeDeleted({ ...steps(), clock: systemClock })).toBe('done');
  expect([await stored(), await counted()]).toEqual([2, 2]);
  expect(await authors()).toEqual([[ADA, 2]]);
  expect(await deletionStore(database.db).next([])).toBeUndefined();
});

test('a chat that is deleted and begins anew while its messages are being subtracted keeps its new count', async () => {
  await store(message('2024-01-05'), message('2024-01-06'));
  await lockedBriefly(() =>
    database.db.transaction().execute(async (transaction) => {
      await expiredMonthStore(transaction).add((await detachOldestMonth(transaction, 'messages', atS('2024-02-01')))!);
    }),
  );
  let subtracting: Promise<boolean> = Promise.resolve(false);
  await database.db.transaction().execute(async (holding) => {
    await sql`select from chat_authors for update`.execute(holding);
    subtracting = database.db
      .transaction()
      .execute((transaction) => expiredMonthStore(transaction).subtractNext('messages_2024_01', 100));
    await waitFor(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        database.db,
      );
      return rows.length > 0;
    });
    await deleteChat({ db: database.db, clock: systemClock }, OPERATOR, bot_id, CHAT);
    await store(message('2024-05-01', { user_id: BOB }));
  });
  expect(await subtracting).toBe(true);
  expect(await counted()).toBe(1);
  expect(await authors()).toEqual([[BOB, 1]]);
});

test('each message of an expired month is read once', async () => {
  await store(...Array.from({ length: 10 }, () => message('2024-01-05')));
  await database.db.transaction().execute(async (transaction) => {
    const month = (await detachOldestMonth(transaction, 'messages', atS('2024-02-01')))!;
    await expiredMonthStore(transaction).add(month);
    const reads = async () => {
      const { rows } = await sql<{ reads: number }>`
        select seq_scan + idx_scan as reads from pg_stat_xact_user_tables where relname = ${month.name}`.execute(
        transaction,
      );
      return rows[0]!.reads;
    };
    const before = await reads();
    expect(await expiredMonthStore(transaction).subtractNext(month.name, 100)).toBe(true);
    expect((await reads()) - before).toBe(1);
  });
  expect(await counted()).toBe(0);
});
