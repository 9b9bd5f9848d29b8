import { makeMonths } from '@flotilla/database/month-partitions.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { type StoredMessage, storeMessages } from '@flotilla/testing/stored-messages.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { searchMessages } from '../messages/search-messages.ts';

const CHAT = -5;
const MARCH_S = Date.parse('2024-03-01T00:00Z') / 1000;
const FEBRUARY_S = MARCH_S - 1;
const MAY_S = MARCH_S + 70 * 86_400;

let database: TestDatabase;
let botId: number;

beforeAll(async () => {
  database = await testDatabase();
  await makeMonths(database.db, 'messages', FEBRUARY_S, MAY_S);
});
afterAll(async () => {
  await database.drop();
});
beforeEach(async () => {
  botId = await storedBot(database.db);
});

const message = (date: number, fields: Partial<StoredMessage> = {}): StoredMessage => ({
  ...{ chat_id: CHAT, id: 1, date, text: 'first' },
  ...fields,
});
const store = (...messages: StoredMessage[]) => storeMessages(database.db, botId, messages);
const rows = () => database.db.selectFrom('messages').selectAll().where('bot_id', '=', botId).orderBy('id').execute();

async function counts() {
  const chat = database.db.selectFrom('chats').select(['message_count', 'last_id']).where('bot_id', '=', botId);
  const authors = database.db.selectFrom('chat_authors').select('message_count').where('bot_id', '=', botId);
  return [await chat.executeTakeFirstOrThrow(), ...(await authors.execute())];
}

async function find(q: string): Promise<number[]> {
  const page = { limit: 10, offset: 0, before: null };
  const { messages } = await searchMessages(database, { scope: { botId, chatIds: [CHAT] }, q, ...page });
  return messages.map(({ date }) => date);
}

test('another message with the id takes the place of the older one, also of another month', async () => {
  await store(message(FEBRUARY_S), message(FEBRUARY_S, { id: 9, text: 'other' }));
  await store(message(MAY_S, { text: 'anew', user_id: 78 }));
  expect(await rows()).toMatchObject([
    { id: 1, date: MAY_S, text: 'anew', user_id: 78 },
    { id: 9, date: FEBRUARY_S },
  ]);
  expect(await counts()).toEqual([{ message_count: 2, last_id: 9 }, { message_count: 1 }, { message_count: 1 }]);
  expect([await find('anew'), await find('first')]).toEqual([[MAY_S], []]);
});

test('also one that was deleted, and is then shown', async () => {
  await store(message(FEBRUARY_S));
  await sql`update messages set deleted_at = now() where bot_id = ${botId}`.execute(database.db);
  await sql`update chats set message_count = 0 where bot_id = ${botId}`.execute(database.db);
  await store(message(MARCH_S, { text: 'anew' }));
  expect(await rows()).toMatchObject([{ date: MARCH_S, deleted_at: null }]);
  expect(await counts()).toEqual([{ message_count: 1, last_id: 1 }, { message_count: 1 }]);
});

test('an older one that comes late changes nothing', async () => {
  await store(message(MAY_S));
  const [before] = await rows();
  await store(message(FEBRUARY_S, { text: 'late' }));
  expect(await rows()).toEqual([before]);
  expect(await counts()).toEqual([{ message_count: 1, last_id: 1 }, { message_count: 1 }]);
});

test('an edit finds the row that was stored a moment too late, in the next month', async () => {
  // A copied message is dated by when its call was seen; the platform's own date comes with its edit.
  await store(message(MARCH_S, { outgoing: true }));
  await store(message(FEBRUARY_S, { text: 'edited', edit_date: MAY_S }));
  expect(await rows()).toMatchObject([{ date: FEBRUARY_S, text: 'edited', edit_date: MAY_S, outgoing: true }]);
  expect((await counts())[0]).toEqual({ message_count: 1, last_id: 1 });
  expect([await find('edited'), await find('first')]).toEqual([[FEBRUARY_S], []]);
});

test('an edit of an old message, and its replay, find the row of its month', async () => {
  await store(message(FEBRUARY_S), message(MAY_S, { id: 2 }));
  const edit = message(FEBRUARY_S, { text: 'edited', edit_date: MAY_S });
  await store(edit);
  await store(edit);
  expect(await rows()).toMatchObject([
    { id: 1, date: FEBRUARY_S, text: 'edited' },
    { id: 2, date: MAY_S },
  ]);
  expect((await counts())[0]).toEqual({ message_count: 2, last_id: 2 });
});
