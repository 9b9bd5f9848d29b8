import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { type StoredMessage, storeMessages } from '@flotilla/testing/stored-messages.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { OPERATOR } from '../../people/audit/actor.ts';
import { deleteChat } from '../chats/delete-chat.ts';
import { historyMessageStore } from '../history/history-message-store.ts';
import { removeDeleted } from '../retention/remove-deleted.ts';
import { removeExpired } from '../retention/remove-expired.ts';
import { statsStore } from './stats-store.ts';

const CHAT = -5;
const [ADA, BOB] = [77, 78];
const NOW_S = 1_800_000_000;

let database: TestDatabase;
let botId: number;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.drop();
});
beforeEach(async () => {
  botId = await storedBot(database.db);
});

const chat = () => ({ bot_id: botId, chat_id: CHAT });
const message = (id: number, fields: Partial<StoredMessage> = {}): StoredMessage => ({
  ...{ chat_id: CHAT, id, date: NOW_S + id, text: 'x', user_id: id % 3 === 0 ? BOB : ADA },
  ...fields,
});
const store = (...messages: StoredMessage[]) => storeMessages(database.db, botId, messages);
const many = (count: number, from = 1) => Array.from({ length: count }, (_, at) => message(from + at));
const later = { nowMs: () => Date.now() + 120_000 };
const steps = () => ({ db: database.db, signal: new AbortController().signal, stepRows: 100 });

/** The stored counts, after comparing them with a count over every message. */
async function counts(): Promise<number[][]> {
  const stats = statsStore(database.db);
  expect(await stats.isBeingRemoved(chat())).toBe(false);
  const counted = await stats.topUsers(chat(), 10);
  expect(counted).toEqual(await stats.topUsersCounted(chat(), 10));
  return counted.map(({ id, message_count }) => [id, message_count]);
}

async function authorRows(): Promise<unknown[]> {
  return database.db.selectFrom('chat_authors').selectAll().where('bot_id', '=', botId).execute();
}

describe('what authors wrote is counted', () => {
  test('as messages come, once where one comes again, without those that the bot sent or nobody is named for', async () => {
    await store(...many(9), message(10, { outgoing: true }), message(11, { user_id: null }));
    expect(await counts()).toEqual([
      [ADA, 6],
      [BOB, 3],
    ]);
    const again = [...many(10), message(11, { user_id: null }), message(12)];
    await store(...again, message(3, { edit_date: NOW_S + 100, text: 'y' }));
    expect(await counts()).toEqual([
      [ADA, 6],
      [BOB, 4],
    ]);
    await store(message(1, { outgoing: true }));
    expect(await counts()).toEqual([
      [ADA, 5],
      [BOB, 4],
    ]);
  });

  test('with the newest name of those that are in no list of people', async () => {
    await store(message(1, { user_id: 9, first_name: 'Eve' }), message(2, { user_id: 9, first_name: 'Renamed' }));
    await store(message(4, { user_id: 9, first_name: null, username: null }));
    expect(await statsStore(database.db).topUsers(chat(), 1)).toMatchObject([{ id: 9, first_name: 'Renamed' }]);
  });

  test('of users, not of chats that write as themselves', async () => {
    await store(...many(9), message(12, { user_id: CHAT, first_name: 'Group' }), message(13, { user_id: -9 }));
    expect(await counts()).toEqual([
      [ADA, 6],
      [BOB, 3],
    ]);
    expect(await statsStore(database.db).countAuthors(chat(), NOW_S)).toBe(2);
  });

  test('and taken off as messages are deleted, once each', async () => {
    await store(...many(9));
    const gone = [1, 2, 3].map((id) => ({
      bot_id: botId,
      chat_id: CHAT,
      business_connection_id: '',
      id,
      atMs: Date.now(),
    }));
    for (let time = 0; time < 2; time += 1) await historyMessageStore(database.db).markDeleted([...gone]);
    expect(await counts()).toEqual([
      [ADA, 4],
      [BOB, 2],
    ]);
    await store(...many(9));
    expect(await counts()).toEqual([
      [ADA, 4],
      [BOB, 2],
    ]);
  });

  test('and taken off as messages expire', async () => {
    await store(...many(300));
    const clock = { nowMs: () => (NOW_S + 150 + 86_400) * 1000 };
    await removeExpired({ ...steps(), clock }, { messages: 1, audit: 0 });
    expect((await counts()).reduce((sum, [, count = 0]) => sum + count, 0)).toBe(151);
  });

  test('anew where a chat is deleted, small or large, and nothing of it stays', async () => {
    for (const size of [50, 5_500]) {
      for (let at = 1; at <= size; at += 1_000) await store(...many(Math.min(1_000, size - at + 1), at));
      await deleteChat({ db: database.db, clock: later }, OPERATOR, botId, CHAT);
      await store(message(9_001, { date: NOW_S + 90_000 }));
      expect(await statsStore(database.db).topUsersCounted(chat(), 10)).toMatchObject([{ message_count: 1 }]);
      await removeDeleted({ ...steps(), stepRows: 1_000, clock: later });
      expect(await counts()).toEqual([[ADA, 1]]);
      expect(await authorRows()).toHaveLength(1);
      await deleteChat({ db: database.db, clock: later }, OPERATOR, botId, CHAT);
      await removeDeleted({ ...steps(), clock: later });
      expect(await authorRows()).toEqual([]);
    }
  }, 60_000);

  test('and forgotten with its bot', async () => {
    await store(...many(50));
    await database.db.deleteFrom('bots').where('id', '=', botId).execute();
    await sql`insert into deletions (bot_id) values (${botId})`.execute(database.db);
    await removeDeleted({ ...steps(), clock: later });
    expect(await authorRows()).toEqual([]);
  });

  test('right by writers of the same chat at once', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        await store(...many(50, at * 50 + 1));
        await historyMessageStore(database.db).markDeleted([
          { bot_id: botId, chat_id: CHAT, business_connection_id: '', id: at * 50 + 1, atMs: Date.now() },
        ]);
      }),
    );
    expect((await counts()).reduce((sum, [, count = 0]) => sum + count, 0)).toBe(980);
  });
});
