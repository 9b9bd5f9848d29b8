import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import { historyChatStore } from '@flotilla/domain/records/history/history-chat-store.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { type StoredMessage, storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const DATE_S = 1_770_000_000;
const api = testApi();
let bot: BotResource;
let other: BotResource;
let foreign: BotResource;
let owner: RestClient;
let colleague: RestClient;
let accounts = 0;

beforeAll(async () => {
  foreign = await api.addBot();
});

beforeEach(async () => {
  [bot, other] = [await api.addBot(), await api.addBot()];
  [owner, colleague] = [await newOwner(), await newOwner()];
});

async function newOwner(): Promise<RestClient> {
  accounts += 1;
  const account = await insertAccount(api.database.db, { username: `owner-${accounts}`, bots: [bot.id, other.id] });
  return restClient(api.url, account.key);
}

/** Stores messages, of which each is in the chat and at the second that are given. */
const store = (botId: number, ...messages: (Partial<StoredMessage> & { chat_id: number; at: number })[]) =>
  storeMessages(
    api.database.db,
    botId,
    messages.map(({ at, ...message }) => ({ id: at, date: DATE_S + at, text: `at ${at}`, ...message })),
  );
const recent = (query: Record<string, string | number> = {}, client = owner) =>
  client('GET', '/api/chats', { query: { order: 'recent', ...query } });
const rowsOf = (answer: RestAnswer) => answer.json as ChatResource[];
const placesOf = (answer: RestAnswer) => rowsOf(answer).map(({ bot_id, id }) => [bot_id, id]);
const unreadOf = (answer: RestAnswer) => rowsOf(answer).map(({ unread }) => unread);
const nextOf = (answer: RestAnswer) =>
  new URL(/^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1] ?? 'x:', api.url).searchParams.get(
    'before',
  ) ?? '';
const read = (chat_id: number, message_id: number, client = owner) =>
  client('POST', '/api/chats/read', { body: { bot_id: bot.id, chat_id, message_id } });

describe('one chat', () => {
  const show = (query: object, client = owner) =>
    client('GET', '/api/chats/show', { query: { bot_id: bot.id, ...query } });

  test('is shown as the list shows it, with its bot, its pins and the number of its topics', async () => {
    const chat_id = -1_001_000_000_001;
    await store(bot.id, { chat_id, at: 1 }, { chat_id, at: 2 });
    await read(chat_id, 1);
    const pin = { bot_id: bot.id, chat_id, actor_kind: 'bot' as const };
    await api.database.db
      .insertInto('audit_log')
      .values([
        { ...pin, action: 'pin', target_id: 9, date: DATE_S },
        { ...pin, action: 'unpin_all', date: DATE_S + 1 },
        { ...pin, action: 'pin', target_id: 1, date: DATE_S + 2 },
        { ...pin, action: 'pin', target_id: 2, date: DATE_S + 3 },
        { ...pin, action: 'unpin', target_id: 1, date: DATE_S + 4 },
      ])
      .execute();
    await api.database.db.insertInto('topics').values({ bot_id: bot.id, chat_id, thread_id: 5 }).execute();
    const [listed] = rowsOf(await recent({ bot_id: bot.id }));
    expect(listed).toMatchObject({ bot_name: bot.name, bot_username: bot.username, unread: 1, read_message_id: 1 });
    expect((await show({ chat_id })).json).toEqual({
      ...listed,
      pinned_message_ids: [2],
      topic_count: 1,
      scheduled_count: 0,
      desk_log: [],
    });
  });

  test('that the bot has not seen is not found, and one of a foreign bot is refused', async () => {
    await store(foreign.id, { chat_id: 4, at: 1 });
    expect((await show({ chat_id: 4 })).status).toBe(404);
    expect((await show({ bot_id: foreign.id, chat_id: 4 })).status).toBe(403);
  });
});

describe('unread chats', () => {
  const counted = async (client = owner) =>
    ((await client('GET', '/api/chats/unread')).json as { chats: number }).chats;

  test('are counted for each account, over the bots that it sees, without those that were read or answered', async () => {
    await store(bot.id, { chat_id: 1, at: 1 }, { chat_id: 2, at: 2 }, { chat_id: 3, at: 3 });
    await store(bot.id, { chat_id: 3, at: 4, outgoing: true });
    await store(other.id, { chat_id: 1, at: 5 });
    await store(foreign.id, { chat_id: 9, at: 6 });
    expect([await counted(), await counted(colleague)]).toEqual([3, 3]);
    await read(1, 1);
    expect([await counted(), await counted(colleague)]).toEqual([2, 3]);
    expect(await counted(api.admin)).toBeGreaterThan(await counted());
  });

  test('are counted up to a hundred', async () => {
    await store(bot.id, ...Array.from({ length: 120 }, (_, at) => ({ chat_id: at + 1, at: at + 1 })));
    expect(await counted()).toBe(100);
  });
});

describe('chats by their last message', () => {
  test('are those of all bots of the caller, and of no other bot', async () => {
    await store(bot.id, { chat_id: 1, at: 10 }, { chat_id: 2, at: 5000 });
    await store(other.id, { chat_id: 1, at: 11 }, { chat_id: 3, at: 4999 });
    await store(foreign.id, { chat_id: 4, at: 6000 });
    const answer = await recent();
    expect(placesOf(answer)).toEqual([
      [bot.id, 2],
      [other.id, 3],
      [other.id, 1],
      [bot.id, 1],
    ]);
    expect(answer.headers.get('x-total-count')).toBe('4');
    expect(placesOf(await recent({ bot_id: other.id }))).toEqual([
      [other.id, 3],
      [other.id, 1],
    ]);
    expect((await recent({ bot_id: foreign.id })).status).toBe(403);
    expect(placesOf(await recent({}, api.admin))[0]).toEqual([foreign.id, 4]);
    expect(placesOf(await owner('GET', '/api/chats'))).toEqual([
      [bot.id, 1],
      [bot.id, 2],
      [other.id, 1],
      [other.id, 3],
    ]);
  });

  test('show the newest message that is not deleted, shortened, and keep their position when it is deleted', async () => {
    const long = 'x'.repeat(500);
    await store(bot.id, { chat_id: 1, at: 1, text: long }, { chat_id: 1, at: 3, text: 'newest', outgoing: true });
    await store(bot.id, { chat_id: 2, at: 2, text: null, media_type: 'photo', last_name: 'Lovelace' });
    const newest = { id: 3, text: 'newest', date: DATE_S + 3, outgoing: true, user_id: 77, username: 'ada' };
    const photo = { id: 2, media_type: 'photo', last_name: 'Lovelace', first_name: 'Ada', outgoing: false };
    const before = rowsOf(await recent());
    expect(before).toMatchObject([
      { id: 1, last_message: newest },
      { id: 2, last_message: photo },
    ]);
    expect(before[1]?.last_message).not.toHaveProperty('text');
    const { db } = api.database;
    await db
      .updateTable('messages')
      .set({ deleted_at: new Date() })
      .where('bot_id', '=', bot.id)
      .where('id', '=', 3)
      .execute();
    const after = rowsOf(await recent());
    expect(after.map(({ id }) => id)).toEqual([1, 2]);
    expect(after[0]?.last_message).toMatchObject({ id: 1, text: 'x'.repeat(200), outgoing: false });
    await db.deleteFrom('messages').where('bot_id', '=', bot.id).execute();
    expect(rowsOf(await recent())).toMatchObject([
      { id: 1, unread: 0 },
      { id: 2, unread: 0 },
    ]);
    expect(rowsOf(await recent())[0]).not.toHaveProperty('last_message');
  });

  test('are found by a part of a name in any case and with any accents, by kind, and as unread', async () => {
    for (const id of [1, 2, 3]) await store(bot.id, { chat_id: id, at: id });
    await store(other.id, { chat_id: 4, at: 4, outgoing: true });
    const { db } = api.database;
    const named = {
      type: 'private',
      title: null,
      username: 'ada_l',
      first_name: 'Zoë',
      last_name: 'Łódź%',
      added: 0,
      last_id: 0,
      direct: null,
    };
    await historyChatStore(db).upsertChats([{ ...named, bot_id: bot.id, id: 2, newest: null }]);
    for (const q of ['ZOE', 'oë łó', 'ADA_', '@ada_l', '2', 'dź%'])
      expect(placesOf(await recent({ q }))).toEqual([[bot.id, 2]]);
    for (const q of ['a%l', 'adaxl', 'zoe\nada', 'l zoe']) expect(rowsOf(await recent({ q }))).toEqual([]);
    for (const q of ['zoe', '@Ada', '2']) {
      expect(placesOf(await owner('GET', '/api/chats', { query: { q } }))).toEqual([[bot.id, 2]]);
    }
    expect(placesOf(await recent({ type: 'private' }))).toEqual([[bot.id, 2]]);
    const groups = await recent({ type: 'supergroup', limit: 1 });
    expect([placesOf(groups), groups.headers.get('x-total-count')]).toEqual([[[other.id, 4]], '3']);
    expect((await read(3, 3)).status).toBe(200);
    const unread = await recent({ unread: 1 });
    expect([placesOf(unread), unread.headers.get('x-total-count')]).toEqual([
      [
        [bot.id, 2],
        [bot.id, 1],
      ],
      '2',
    ]);
    expect(await owner('GET', '/api/chats', { query: { unread: 1 } })).toMatchObject({
      status: 400,
      json: { details: [{ path: 'unread' }] },
    });
  });

  test('of an account that was deleted say so, since it has no name', async () => {
    await store(bot.id, { chat_id: 2, at: 2 });
    const nameless = {
      type: 'private',
      title: null,
      username: null,
      first_name: null,
      last_name: null,
      added: 0,
      last_id: 0,
      direct: null,
    };
    await historyChatStore(api.database.db).upsertChats([{ ...nameless, bot_id: bot.id, id: 2, newest: null }]);
    expect(rowsOf(await recent())).toMatchObject([{ id: 2, title: 'Deleted account' }]);
  });

  test.each([
    ['of one bot', () => ({ bot_id: bot.id })],
    ['of several bots', () => ({})],
    ['with a filter', () => ({ type: 'supergroup' })],
  ])('are paged once each %s, also over equal dates, while messages arrive', async (_, filter) => {
    // Positions of one period, of one second, and of several periods.
    const chats = Array.from({ length: 30 }, (_item, at) => ({ chat_id: at + 1, at: (at % 5) * 700 + (at % 2) }));
    await store(bot.id, ...chats);
    const all = placesOf(await recent(filter()));
    expect(all).toHaveLength(30);
    const first = await recent({ ...filter(), limit: 7 });
    const seen = placesOf(first);
    const moved = (all[20] as number[])[1] as number;
    await store(bot.id, { chat_id: moved, at: 9_000 }, { chat_id: 99, at: 9_001 });
    for (let before = nextOf(first); before !== ''; ) {
      const page = await recent({ ...filter(), limit: 7, before });
      seen.push(...placesOf(page));
      before = nextOf(page);
    }
    // The chat that moved to the beginning is not on later pages, as documented; all others are, in their order.
    expect(seen).toEqual(all.filter(([, id]) => id !== moved));
    expect(placesOf(await recent({ ...filter(), limit: 2 }))).toEqual([
      [bot.id, 99],
      [bot.id, moved],
    ]);
    expect(placesOf(await recent({ ...filter(), limit: 2, offset: 2 }))).toEqual(all.slice(0, 2));
  });

  test('of a deleted bot or chat are gone at once, and the chat begins anew with its next message', async () => {
    await store(bot.id, { chat_id: 1, at: 1 });
    await store(other.id, { chat_id: 2, at: 2 });
    expect((await read(1, 1)).status).toBe(200);
    expect((await owner('POST', '/api/chats/delete', { body: { bot_id: bot.id, chat_id: 1 } })).status).toBe(200);
    expect(placesOf(await recent())).toEqual([[other.id, 2]]);
    expect((await read(1, 1)).status).toBe(404);
    await store(bot.id, { chat_id: 1, at: 9 });
    expect(rowsOf(await recent())).toMatchObject([{ id: 1, unread: 1 }, { id: 2 }]);
    await api.admin('POST', '/api/bots/delete', { body: { id: bot.id } });
    expect(rowsOf(await recent({}, api.admin)).filter(({ bot_id }) => bot_id === bot.id)).toEqual([]);
    expect(placesOf(await recent())).toEqual([[other.id, 2]]);
  });
});

describe('reading a chat', () => {
  test('ends at the marker of each account, which never goes back', async () => {
    const event = { media_type: null, text: 'Joined', service: 'joined' };
    await store(bot.id, { chat_id: 1, at: 0, outgoing: true });
    await store(bot.id, ...[1, 2, 3, 4, 5].map((at) => ({ chat_id: 1, at, ...(at === 4 ? event : {}) })));
    expect(rowsOf(await recent())).toMatchObject([{ unread: 4 }]);
    expect(rowsOf(await recent())[0]).not.toHaveProperty('read_message_id');
    await read(1, 2);
    expect(rowsOf(await recent())).toMatchObject([{ unread: 2, read_message_id: 2 }]);
    await read(1, 1);
    expect(rowsOf(await recent())).toMatchObject([{ unread: 2, read_message_id: 2 }]);
    await read(1, 5);
    expect(rowsOf(await recent())).toMatchObject([{ unread: 0, read_message_id: 5 }]);
    expect(unreadOf(await recent({}, colleague))).toEqual([4]);
    await store(bot.id, { chat_id: 1, at: 6 });
    expect(unreadOf(await recent())).toEqual([1]);
  });

  test('knows messages of one second by their ids, and callbacks by their negative ones', async () => {
    const same = { chat_id: 1, date: DATE_S };
    await store(bot.id, { ...same, at: 7 }, { ...same, at: 8 }, { ...same, at: 9 });
    await read(1, 8);
    expect([unreadOf(await recent()), placesOf(await recent({ unread: 1 }))]).toEqual([[1], [[bot.id, 1]]]);
    await store(bot.id, { chat_id: 1, at: 20, id: -5, media_type: 'callback' });
    await read(1, -5);
    expect([unreadOf(await recent()), rowsOf(await recent({ unread: 1 }))]).toEqual([[0], []]);
  });

  test('is counted up to 100, and not through a long past', async () => {
    const many = (from: number, count: number, outgoing: boolean) =>
      Array.from({ length: count }, (_, at) => ({ chat_id: 1, at: from + at, outgoing }));
    await store(bot.id, ...many(1, 150, false));
    expect(unreadOf(await recent())).toEqual([100]);
    const events = many(200, 190, false).map((message) => ({ ...message, service: 'pinned' }));
    await store(bot.id, ...events);
    expect(unreadOf(await recent())).toEqual([10]);
  });

  test('is not needed for what the bot has answered', async () => {
    await store(bot.id, { chat_id: 1, at: 1 }, { chat_id: 1, at: 2 }, { chat_id: 1, at: 3, outgoing: true });
    await store(bot.id, { chat_id: 2, at: 2, outgoing: true }, { chat_id: 2, at: 3 });
    expect(rowsOf(await recent())).toMatchObject([
      { id: 2, unread: 1 },
      { id: 1, unread: 0 },
    ]);
    expect(placesOf(await recent({ unread: 1 }))).toEqual([[bot.id, 2]]);
    await store(bot.id, { chat_id: 1, at: 4 });
    expect(unreadOf(await recent())).toEqual([1, 1]);
  });

  test.each([
    ['a message that is not there', 1, 404, 404],
    ['a chat that is not there', 404, 1, 404],
    ['no message', 1, 'x' as unknown as number, 400],
  ])('is not marked with %s', async (_, chat, message, status) => {
    await store(bot.id, { chat_id: 1, at: 1 });
    expect((await read(chat, message)).status).toBe(status);
    expect(unreadOf(await recent())).toEqual([1]);
  });

  test('of a foreign bot is refused, and leaves no audit entry for an own one', async () => {
    await store(foreign.id, { chat_id: 1, at: 1 });
    await store(bot.id, { chat_id: 1, at: 1 });
    const body = { bot_id: foreign.id, chat_id: 1, message_id: 1 };
    expect((await owner('POST', '/api/chats/read', { body })).status).toBe(403);
    await read(1, 1);
    const audit = await api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id, chat_id: 1 } });
    expect(audit.json).toEqual([]);
  });

  test('is read with the press that came last in the second of its newest message, which the list shows', async () => {
    const press = { media_type: 'callback', date: DATE_S + 2, reply_to_message_id: 1 } as const;
    await store(bot.id, { chat_id: 1, at: 1 }, { chat_id: 1, at: 2 }, { ...press, chat_id: 1, at: -5 });
    expect(rowsOf(await recent())).toMatchObject([{ unread: 2, last_message: { id: -5 } }]);
    const pages: unknown[] = [];
    for (let before: string | undefined = ''; before !== undefined && pages.length < 4; ) {
      const query: Record<string, string | number> = {
        bot_id: bot.id,
        chat_id: 1,
        limit: 1,
        ...(before && { before }),
      };
      const page = await owner('GET', '/api/messages', { query });
      pages.push((page.json as { id: number }[])[0]?.id);
      before = nextOf(page) || undefined;
    }
    expect(pages).toEqual([-5, 2, 1]);
    await read(1, -5);
    expect(unreadOf(await recent())).toEqual([0]);
  });

  test('leaves nothing behind when the account goes', async () => {
    const account = await insertAccount(api.database.db, { username: `leaver-${accounts}`, bots: [bot.id] });
    await store(bot.id, { chat_id: 1, at: 1 });
    expect((await read(1, 1, restClient(api.url, account.key))).status).toBe(200);
    const marks = () =>
      api.database.db.selectFrom('chat_reads').selectAll().where('account_id', '=', account.id).execute();
    expect(await marks()).toHaveLength(1);
    await api.admin('POST', '/api/auth/users/delete', { body: { id: account.id } });
    expect(await marks()).toEqual([]);
  });
});
