import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { exportChat } from './export-chat.ts';

const CHAT = -100;
const COUNT = 2500;

let database: TestDatabase;
let bot_id: number;

beforeAll(async () => {
  database = await testDatabase();
  bot_id = await storedBot(database.db);
  const other = await storedBot(database.db);
  // Ten messages per second, so that pages end between messages of the same second.
  const chat = Array.from({ length: COUNT }, (_, at) => ({
    chat_id: CHAT,
    id: at,
    date: Math.floor(at / 10),
    text: 'x',
  }));
  const business = { chat_id: CHAT, id: 1500, date: 150, text: 'same id', business_connection_id: 'bc' };
  await storeMessages(database.db, bot_id, [
    ...chat,
    business,
    { chat_id: CHAT - 1, id: 1, date: 1, text: 'elsewhere' },
  ]);
  await storeMessages(database.db, other, [{ chat_id: CHAT, id: 1, date: 1, text: 'another bot’s' }]);
});

afterAll(async () => {
  await database.drop();
});

test('every message of the chat is exported once, newest first, and what is stored meanwhile is not', async () => {
  const seen: [number, string][] = [];
  for await (const message of exportChat(database.db, { bot_id, chat_id: CHAT })) {
    if (seen.length === 1200)
      await storeMessages(database.db, bot_id, [{ chat_id: CHAT, id: 9999, date: 9999, text: 'x' }]);
    seen.push([message.id, message.business_connection_id]);
  }
  const expected = Array.from({ length: COUNT }, (_, at) => [COUNT - 1 - at, '']);
  expected.splice(COUNT - 1500 - 1, 0, [1500, 'bc']);
  expect(seen).toEqual(expected);
});

test('nothing is read before it is asked for, and nothing after it is given up', async () => {
  let statements = 0;
  const counting = database.db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const messages = exportChat(counting, { bot_id, chat_id: CHAT });
  expect(statements).toBe(0);
  await messages.next();
  await messages.return();
  expect(statements).toBe(1);
});

test('deleted messages are left out', async () => {
  await sql`update messages set deleted_at = now() where bot_id = ${bot_id} and chat_id = ${CHAT} and id > 2`.execute(
    database.db,
  );
  const ids: number[] = [];
  for await (const message of exportChat(database.db, { bot_id, chat_id: CHAT })) ids.push(message.id);
  expect(ids).toEqual([2, 1, 0]);
});
