import { createLogger } from '@flotilla/runtime/logger.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { HistoryEntry } from '../history/stream/history-codec.ts';
import { writeHistory } from '../history/write-history.ts';
import { blockedChatStore, isBlockedChat } from './blocked-chat-store.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const ada = { id: 77, is_bot: false, first_name: 'Ada' };
const PRIVATE = { id: 77, type: 'private', first_name: 'Ada' };
const GROUP = { id: -5, type: 'group', title: 'Harbour' };
const nowS = () => Math.floor(Date.now() / 1000);

let database: TestDatabase;
let bot_id: number;
let registrationId: string;
let sequence = 0;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  bot_id = await storedBot(database.db);
  const bot = database.db.selectFrom('bots').select('registration_id').where('id', '=', bot_id);
  registrationId = (await bot.executeTakeFirstOrThrow()).registration_id;
});

async function write(...payloads: object[]) {
  const entries = payloads.map((payload): HistoryEntry => {
    sequence += 1;
    const raw = JSON.stringify({ update_id: sequence, ...payload });
    const key = `${bot_id}:${sequence}-0`;
    return { type: 'update', key, botId: bot_id, registrationId, atMs: Date.now(), updateId: sequence, raw };
  });
  expect(await writeHistory({ db: database.db, log }, entries)).toMatchObject({ refused: 0 });
}

const message = (chat: object, date: number) => {
  sequence += 1;
  return { message: { message_id: sequence, from: ada, chat, date, text: 'Hi' } };
};
const membership = (chat: object, status: string, date = nowS(), fields: object = {}) => ({
  my_chat_member: {
    ...{ chat, from: ada, date },
    old_chat_member: { user: { id: 5, is_bot: true }, status: status === 'member' ? 'kicked' : 'member' },
    new_chat_member: { user: { id: 5, is_bot: true }, status, ...fields },
  },
});

async function isBlocked(chatId: number): Promise<boolean> {
  const chats = database.db.selectFrom('chats').select('blocked_at').where('bot_id', '=', bot_id);
  return (await chats.where('id', '=', chatId).executeTakeFirstOrThrow()).blocked_at !== null;
}

test('a refusal blocks a chat, and the next message of the person unblocks it', async () => {
  await write(message(PRIVATE, nowS() - 100));
  await blockedChatStore(database.db).note({ bot_id, chat_id: ada.id });
  expect(await isBlocked(ada.id)).toBe(true);
  await write(message(PRIVATE, nowS() + 1));
  expect(await isBlocked(ada.id)).toBe(false);
});

test('a message from before the refusal, which is stored late, leaves the chat blocked', async () => {
  await write(message(PRIVATE, nowS() - 100));
  await blockedChatStore(database.db).note({ bot_id, chat_id: ada.id });
  await write(message(PRIVATE, nowS() - 50));
  expect(await isBlocked(ada.id)).toBe(true);
});

test('the platform says who blocked the bot, and who let it in again', async () => {
  await write(message(PRIVATE, nowS() - 100), membership(PRIVATE, 'kicked'));
  expect(await isBlocked(ada.id)).toBe(true);
  await write(membership(PRIVATE, 'member', nowS() + 1));
  expect(await isBlocked(ada.id)).toBe(false);
  await write(membership(PRIVATE, 'kicked', nowS() + 2), membership(PRIVATE, 'member', nowS() + 3));
  expect(await isBlocked(ada.id)).toBe(false);
});

test('an old word of the platform does not undo a later refusal', async () => {
  await write(message(PRIVATE, nowS() - 100));
  await blockedChatStore(database.db).note({ bot_id, chat_id: ada.id });
  await write(membership(PRIVATE, 'member', nowS() - 60));
  expect(await isBlocked(ada.id)).toBe(true);
});

test.each([
  ['kicked', {}, true],
  ['left', {}, true],
  ['restricted', { is_member: false }, true],
  ['restricted', { is_member: true }, false],
  ['administrator', {}, false],
])('a bot that is %s in a group with %j is out: %s', async (status, fields, expected) => {
  await write(membership(GROUP, status, nowS(), fields));
  expect(await isBlocked(GROUP.id)).toBe(expected);
});

test('other members of a group say nothing of the bot', async () => {
  const { my_chat_member: change } = membership(GROUP, 'kicked');
  await write(message(GROUP, nowS()), { chat_member: change });
  expect(await isBlocked(GROUP.id)).toBe(false);
});

test.each([
  [403, 'Forbidden: bot was blocked by the user', {}, true],
  [403, 'Forbidden: user is deactivated', {}, true],
  [403, "Forbidden: bot can't initiate conversation with a user", {}, true],
  [403, 'Forbidden: bot was kicked from the supergroup chat', {}, true],
  [403, 'Forbidden: bot is not a member of the channel chat', {}, true],
  [403, 'Forbidden: the group chat was deleted', {}, true],
  [403, 'Forbidden: bot was kicked from the group chat', { from_chat_id: -7 }, false],
  [403, 'Forbidden: bot was blocked by the user', { from_chat_id: -7 }, true],
  [403, 'Forbidden: bot was blocked by the user', { business_connection_id: 'c' }, false],
  [403, 'Forbidden: not enough rights', {}, false],
  [400, 'Bad Request: chat not found', {}, false],
])('of %s %s with %j, the chat is blocked: %s', (code, description, params, expected) => {
  expect(isBlockedChat({ code, description }, params)).toBe(expected);
});
