import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { eventKeys } from '@flotilla/redis/keys.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedis } from '@flotilla/testing/redis.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { noticeAwaiting } from './notice-awaiting.ts';

let database: TestDatabase;
let server: Awaited<ReturnType<typeof startTestRedis>>;
let redis: RedisHandles;
let botId: number;

beforeAll(async () => {
  [database, server] = await Promise.all([testDatabase(), startTestRedis()]);
  redis = await connectRedis({ url: server.url, log: { warn: () => undefined } });
});
afterAll(async () => {
  await redis?.close();
  await Promise.all([server?.stop(), database?.drop()]);
});
beforeEach(async () => {
  await database.db.deleteFrom('event_sinks').execute();
  await database.db.deleteFrom('events').execute();
  await database.db.deleteFrom('chats').execute();
  botId = await storedBot(database.db);
});

const minutesAgo = (minutes: number) => Math.floor(Date.now() / 1000) - minutes * 60;
async function wrote(chat: number, minutes: number, fields: object = {}): Promise<void> {
  await storeMessages(database.db, botId, [
    { chat_id: chat, id: 2_000 - minutes, date: minutesAgo(minutes), text: 'Hi', ...fields },
  ]);
  await database.db
    .updateTable('chats')
    .set({ type: chat > 0 ? 'private' : 'group', first_name: 'Ada' })
    .where('id', '=', chat)
    .execute();
}
const sink = (minutes: number, kinds: string[] | null = ['chat.awaits']) =>
  sql`insert into event_sinks (name, url_sealed, kinds, awaits_minutes)
    values (${`after ${minutes}`}, 'x', ${kinds === null ? null : JSON.stringify(kinds)}::jsonb, ${minutes})`.execute(
    database.db,
  );
async function notice(): Promise<string[]> {
  await redis.commands.del(eventKeys.lookAtChats);
  await noticeAwaiting({ db: database.db, redis }, 4_000);
  const events = await database.db
    .selectFrom('events')
    .select('text')
    .where('kind', '=', 'chat.awaits')
    .orderBy('id')
    .execute();
  await database.db.deleteFrom('events').execute();
  return events.map(({ text }) => text);
}

test('tells once of each private chat that nobody has answered for so long', async () => {
  await wrote(5, 20);
  await wrote(6, 3);
  await wrote(7, 20);
  await wrote(7, 18, { outgoing: true });
  await wrote(8, 200);
  await wrote(-9, 20);
  expect(await notice()).toEqual([]);
  await sink(15);
  expect(await notice()).toEqual([`Ada (chat 5) has waited for an answer for 15 min`]);
  expect(await notice()).toEqual([]);
  // A newer message begins the time anew.
  await wrote(5, 16);
  expect(await notice()).toHaveLength(1);
});

test('tells each sink after its own time, of its own bots, and not of chats that are done', async () => {
  await sink(5);
  await sink(15, null);
  await sink(1, ['bot.added']);
  await wrote(5, 10);
  expect(await notice()).toEqual([expect.stringContaining('for 5 min')]);
  await sql`update chats set last_incoming_date = ${minutesAgo(20)}, awaits_told_date = ${minutesAgo(20)}`.execute(
    database.db,
  );
  expect(await notice()).toEqual([expect.stringContaining('for 15 min')]);
  await wrote(6, 10);
  await sql`update event_sinks set bot_ids = '[999]'`.execute(database.db);
  expect(await notice()).toEqual([]);
  await sql`update event_sinks set bot_ids = null`.execute(database.db);
  await sql`update chats set done_date = last_incoming_date, done_id = last_incoming_id where id = 6`.execute(
    database.db,
  );
  expect(await notice()).toEqual([]);
  await sql`update chats set done_date = null, done_id = null where id = 6`.execute(database.db);
  expect(await notice()).toHaveLength(1);
});
