import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { messageStore } from '../messages/message-store.ts';
import type { HistoryEntry } from './stream/history-codec.ts';
import { writeHistory } from './write-history.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const DATE_S = 1_780_000_000;
const FORUM = { id: -1_002_100_200_301, type: 'supergroup', title: 'Dry dock', is_forum: true };
const PERSON = { id: 77, type: 'private', first_name: 'Ada' };
const ada = { id: 77, is_bot: false, first_name: 'Ada' };
const HULL = { message_id: 120, forum_topic_created: { name: 'Hull', icon_color: 7322096 } };

let database: TestDatabase;
let botId: number;
let sequence = 0;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  botId = await storedBot(database.db);
});

async function registration(): Promise<string> {
  const bots = database.db.selectFrom('bots').select('registration_id').where('id', '=', botId);
  return (await bots.executeTakeFirstOrThrow()).registration_id;
}
type Written = (registrationId: string) => HistoryEntry;
function said(fields: object, chat: object = FORUM): Written {
  sequence += 1;
  const updateId = sequence;
  const message = { message_id: 200 + sequence, from: ada, chat, date: DATE_S + sequence, ...fields };
  const raw = JSON.stringify({ update_id: updateId, message });
  return (registrationId) => ({
    ...{ type: 'update', key: `${botId}:${updateId}-0`, botId, registrationId, atMs: DATE_S * 1000, updateId, raw },
  });
}
function called(method: string, params: Record<string, string>, result: unknown = true): Written {
  sequence += 1;
  const key = `${botId}:call-${sequence}`;
  return (registrationId) => ({
    ...{ type: 'call', key, botId, registrationId, atMs: DATE_S * 1000 },
    ...{ method, params: { chat_id: String(FORUM.id), ...params }, result: JSON.stringify(result) },
  });
}
async function write(...entries: Written[]): Promise<void> {
  const id = await registration();
  await writeHistory(
    { db: database.db, log },
    entries.map((entry) => entry(id)),
  );
}
const inTopic = (threadId: number, fields: object = {}) => ({
  message_thread_id: threadId,
  is_topic_message: true,
  ...fields,
});
const topics = () =>
  database.db
    .selectFrom('topics')
    .select(['chat_id', 'thread_id', 'name', 'icon_color', 'icon_custom_emoji_id', 'closed', 'deleted'])
    .where('bot_id', '=', botId)
    .orderBy('thread_id')
    .execute();
const one = async () => (await topics())[0];
const idsIn = async (threadId: number, chat: ChatOfBot = { bot_id: botId, chat_id: FORUM.id }) => {
  const query = { limit: 50, offset: 0, before: null, include_deleted: false, filter: { thread_id: threadId } };
  return (await messageStore(database.db).list(chat, query)).map(({ text }) => text);
};

describe('a topic', () => {
  test('is known with its name from the message that made it, also as other messages quote it', async () => {
    await write(said(inTopic(120, { text: 'a', reply_to_message: HULL })));
    expect(await topics()).toEqual([
      {
        ...{ chat_id: FORUM.id, thread_id: 120, name: 'Hull', icon_color: 7322096, icon_custom_emoji_id: null },
        ...{ closed: false, deleted: false },
      },
    ]);
    await write(
      said(inTopic(121, { forum_topic_created: { name: 'Keel', icon_color: 1, icon_custom_emoji_id: 'e' } })),
    );
    expect((await topics())[1]).toMatchObject({ name: 'Keel', icon_color: 1, icon_custom_emoji_id: 'e' });
  });

  test('of which only an answer came has no name until a message tells it', async () => {
    await write(said(inTopic(120, { text: 'a', reply_to_message: { message_id: 7 } })));
    expect(await one()).toMatchObject({ thread_id: 120, name: null });
    await write(said(inTopic(120, { text: 'b', reply_to_message: HULL })));
    expect(await one()).toMatchObject({ name: 'Hull' });
  });

  test('keeps its newer name when a message quotes the older one', async () => {
    await write(
      said(inTopic(120, { forum_topic_edited: { name: 'Hull, port side', icon_custom_emoji_id: 'e' } })),
      said(inTopic(120, { text: 'b', reply_to_message: HULL })),
    );
    await write(said(inTopic(120, { text: 'c', reply_to_message: HULL })));
    expect(await one()).toMatchObject({ name: 'Hull, port side', icon_color: 7322096, icon_custom_emoji_id: 'e' });
    await write(said(inTopic(120, { forum_topic_edited: { icon_custom_emoji_id: '' } })));
    expect(await one()).toMatchObject({ name: 'Hull, port side', icon_custom_emoji_id: '' });
  });

  test('is closed and opened by people, the last one counts', async () => {
    await write(said(inTopic(120, { forum_topic_closed: {} })));
    expect(await one()).toMatchObject({ closed: true });
    await write(said(inTopic(120, { forum_topic_reopened: {} })), said(inTopic(120, { forum_topic_closed: {} })));
    expect(await one()).toMatchObject({ closed: true });
    await write(said(inTopic(120, { forum_topic_reopened: {} })));
    expect(await one()).toMatchObject({ closed: false });
  });

  test('is what the bot did with it, of which the bot gets no update', async () => {
    const made = { message_thread_id: 120, name: 'Hull', icon_color: 9367192, icon_custom_emoji_id: 'e' };
    await write(called('createForumTopic', { name: 'Hull' }, made));
    expect(await one()).toMatchObject({ name: 'Hull', icon_color: 9367192, icon_custom_emoji_id: 'e', closed: false });
    const it = { message_thread_id: '120' };
    await write(called('editForumTopic', { ...it, name: 'Keel', icon_custom_emoji_id: '' }));
    await write(called('closeForumTopic', it));
    expect(await one()).toMatchObject({ name: 'Keel', icon_custom_emoji_id: '', closed: true });
    await write(called('editForumTopic', { ...it, icon_custom_emoji_id: 'f' }), called('reopenForumTopic', it));
    expect(await one()).toMatchObject({ name: 'Keel', icon_custom_emoji_id: 'f', closed: false, deleted: false });
    await write(called('deleteForumTopic', it));
    expect(await one()).toMatchObject({ deleted: true });
  });

  test('is the same when its entries are written again', async () => {
    const entries = [
      said(inTopic(120, { text: 'a', reply_to_message: HULL })),
      said(inTopic(120, { forum_topic_edited: { name: 'Keel' } })),
      called('closeForumTopic', { message_thread_id: '120' }),
    ];
    await write(...entries);
    const first = await topics();
    await write(...entries);
    expect(await topics()).toEqual(first);
    expect(first).toMatchObject([{ name: 'Keel', closed: true }]);
  });

  test('of a private chat is one, too', async () => {
    await write(said(inTopic(9, { forum_topic_created: { name: 'My order', icon_color: 1 } }), PERSON));
    expect(await topics()).toMatchObject([{ chat_id: PERSON.id, thread_id: 9, name: 'My order' }]);
  });

  test('may be the first message of a bot in a private chat, which is no General', async () => {
    await write(
      said({ message_id: 1, ...inTopic(1, { forum_topic_created: { name: 'My order', icon_color: 1 } }) }, PERSON),
      said({ text: 'outside' }, PERSON),
      said(inTopic(1, { text: 'inside' }), PERSON),
    );
    expect(await one()).toMatchObject({ chat_id: PERSON.id, thread_id: 1, name: 'My order' });
    const chat = { bot_id: botId, chat_id: PERSON.id };
    expect([await idsIn(0, chat), await idsIn(1, chat)]).toEqual([['outside'], ['inside', expect.anything()]]);
  });

  test('is no thread of answers in a group without topics', async () => {
    const group = { ...FORUM, is_forum: undefined };
    await write(said({ text: 'an answer', message_thread_id: 55, reply_to_message: { message_id: 55 } }, group));
    expect(await topics()).toEqual([]);
    expect(await idsIn(0)).toEqual(['an answer']);
  });
});

describe('General', () => {
  test('has the messages of a forum that name no topic, also answers, copies and presses of buttons', async () => {
    await write(
      said({ text: 'hello' }),
      said({ text: 'an answer', message_thread_id: 55, reply_to_message: { message_id: 55 } }),
      said(inTopic(120, { text: 'elsewhere' })),
    );
    await write(called('copyMessage', { from_chat_id: String(FORUM.id), message_id: '1' }, { message_id: 900 }));
    expect(await idsIn(1)).toEqual(['an answer', 'hello', null]);
    expect(await idsIn(120)).toEqual(['elsewhere']);
    expect(await idsIn(0)).toEqual(['an answer', 'hello', null]);
    expect(await one()).toMatchObject({ thread_id: 1, name: 'General', closed: false });
  });

  test('is renamed, closed by being hidden, and opened by both sides', async () => {
    await write(said({ general_forum_topic_hidden: {} }));
    expect(await one()).toMatchObject({ name: 'General', closed: true });
    await write(called('reopenGeneralForumTopic', {}), said({ forum_topic_edited: { name: 'Lobby' } }));
    expect(await one()).toMatchObject({ name: 'Lobby', closed: false });
    await write(called('editGeneralForumTopic', { name: 'Pier' }), said({ forum_topic_closed: {} }));
    expect(await one()).toMatchObject({ thread_id: 1, name: 'Pier', closed: true });
  });
});

test('a press of a button belongs to the topic of its message, and texts cannot name another one', async () => {
  sequence += 1;
  const updateId = sequence;
  const message = { message_id: 5, chat: FORUM, date: DATE_S, ...inTopic(120), text: 'choose' };
  const raw = JSON.stringify({ update_id: updateId, callback_query: { id: '1', from: ada, message, data: 'yes' } });
  const forged = [{ type: 'x', offset: 0, length: 1, thread_id: 7, nested: { text: '{"thread_id":7}' } }];
  await write(
    (registrationId) => ({
      ...{ type: 'update', key: `${botId}:p-0`, botId, registrationId, atMs: DATE_S * 1000, updateId, raw },
    }),
    said(inTopic(121, { text: '{"thread_id":7}', entities: forged })),
    said({ text: '{"thread_id":7}', entities: forged }, { ...FORUM, is_forum: undefined }),
  );
  expect(await idsIn(120)).toEqual(['yes']);
  expect(await idsIn(7)).toEqual([]);
  expect(await idsIn(121)).toEqual(['{"thread_id":7}']);
});

test('a NUL character in the details of a message does not stop the history', async () => {
  const entities = [{ type: 'text_link', offset: 0, length: 1, url: 'a\u0000b\ud800', thread_id: 5 }];
  await write(said(inTopic(120, { text: 'odd', entities })));
  expect(await idsIn(120)).toEqual(['odd']);
  const { rows } = {
    rows: await database.db.selectFrom('dead_letters').selectAll().where('bot_id', '=', botId).execute(),
  };
  expect(rows).toEqual([]);
});
