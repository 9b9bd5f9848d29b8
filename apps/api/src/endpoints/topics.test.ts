import type { BotResource } from '@flotilla/contract/bots.ts';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import type { TopicResource } from '@flotilla/contract/topics.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const PERSON = 424_242;
const api = testApi();
let bot: BotResource;
let other: BotResource;
let chat: number;
let hull: number;
let keel: number;

beforeAll(async () => {
  [bot, other] = [await api.addBot(), await api.addBot()];
  await api.platform.createPerson({ id: PERSON, firstName: 'Ada' });
});

beforeEach(async () => {
  chat = await newForum(bot);
  [hull, keel] = [await newTopic('Hull'), await newTopic('Keel')];
});

async function newForum({ token }: BotResource): Promise<number> {
  const admins = [{ bot: Number(token.split(':')[0]) }];
  const forum = { type: 'supergroup', title: 'Dry dock', forum: true, creator: PERSON, admins } as const;
  return (await api.platform.createChat(forum)).id;
}
const newTopic = async (name: string) => (await api.platform.createTopic({ person: PERSON, chat, name })).topic;
const send = (body: object): Promise<RestAnswer> =>
  api.admin('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id: chat, ...body } });
const sent = async (body: object) => (await send(body)).json as MessageResource;
const topics = (query: object = {}, client: RestClient = api.admin) =>
  client('GET', '/api/topics', { query: { bot_id: bot.id, chat_id: chat, ...query } });
const listed = async (query: object = {}) => (await topics(query)).json as TopicResource[];
const texts = async (thread_id: number, path = '/api/messages', query: object = {}) => {
  const answer = await api.admin('GET', path, { query: { bot_id: bot.id, chat_id: chat, thread_id, ...query } });
  return (answer.json as MessageResource[]).map(({ text }) => text);
};

describe('a message to a topic', () => {
  test('is sent and stored there, and makes the topic known with its name', async () => {
    expect(await sent({ text: 'to the hull', thread_id: hull })).toMatchObject({ thread_id: hull });
    expect(await listed()).toEqual([
      {
        ...{ chat_id: chat, thread_id: hull, name: 'Hull', icon_color: 7322096, closed: false },
        last_message_at: expect.stringMatching(/^20\d\d-.*Z$/),
      },
    ]);
    expect((await sent({ text: 'the older name', message_thread_id: keel })).thread_id).toBe(keel);
    expect(await send({ text: 'x', thread_id: hull, message_thread_id: keel })).toMatchObject({ status: 400 });
  });

  test("of a channel's direct messages names it to the platform", async () => {
    await send({ text: 'to the person', direct_messages_topic_id: 9 });
    const { calls } = await api.platform.readCalls({ bot: Number(bot.token.split(':')[0]), method: 'sendMessage' });
    expect(calls.at(-1)?.params).toMatchObject({ text: 'to the person', direct_messages_topic_id: '9' });
  });

  test('of a file goes there, too', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ bot_id: bot.id, chat_id: chat, thread_id: hull, text: 'a plan' })) {
      form.set(name, String(value));
    }
    form.set('file', new Blob(['plan'], { type: 'application/pdf' }), 'plan.pdf');
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const answer = await fetch(`${api.url}/api/messages/send`, { method: 'POST', headers, body: form });
    expect(await answer.json()).toMatchObject({ thread_id: hull, file_name: 'plan.pdf' });
  });

  test.each([0, 1])('%d is to General, whose messages have the topic 1', async (thread_id) => {
    expect(await sent({ text: 'to all', thread_id })).toMatchObject({ thread_id: 1 });
    expect(await listed()).toMatchObject([{ thread_id: 1, name: 'General' }]);
  });

  test('that is not there is refused by the platform', async () => {
    expect(await send({ text: 'x', thread_id: 99_999 })).toMatchObject({ status: 400 });
    expect(await send({ text: 'x', thread_id: -1 })).toMatchObject({ status: 400, json: { code: 'bad_request' } });
  });
});

describe('the messages of a chat', () => {
  test('are listed, searched and exported by topic; 0 is what no topic has, and General', async () => {
    await sent({ text: 'one word', thread_id: hull });
    await sent({ text: 'two word', thread_id: keel });
    await sent({ text: 'three word' });
    await sent({ text: 'four word', thread_id: hull });
    expect(await texts(hull)).toEqual(['four word', 'one word']);
    expect(await texts(keel)).toEqual(['two word']);
    expect([await texts(0), await texts(1)]).toEqual([['three word'], ['three word']]);
    expect(await texts(hull, '/api/messages/search', { q: 'word' })).toEqual(['four word', 'one word']);
    const query = { bot_id: bot.id, chat_id: chat, thread_id: keel };
    const exported = await api.admin('GET', '/api/messages/export', { query });
    expect(exported.text.trim().split('\n')).toHaveLength(1);
    expect(exported.text).toContain('two word');
  });

  test('of a topic are paged and counted alone', async () => {
    for (const text of ['1', '2', '3']) await sent({ text, thread_id: hull });
    await sent({ text: 'x', thread_id: keel });
    const query = { bot_id: bot.id, chat_id: chat, thread_id: hull, limit: 2 };
    const answer = await api.admin('GET', '/api/messages', { query });
    expect(answer.headers.get('x-total-count')).toBe('3');
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
    const second = await api.admin('GET', next.replace(/^https?:\/\/[^/]+/, ''));
    expect((second.json as MessageResource[]).map(({ text }) => text)).toEqual(['1']);
  });
});

describe('topics', () => {
  test('are listed by their newest message, page by page', async () => {
    await sent({ text: 'a', thread_id: hull });
    await sent({ text: 'b', thread_id: keel });
    await api.database.db.updateTable('topics').set({ last_date: 5 }).where('thread_id', '=', hull).execute();
    const first = await topics({ limit: 1 });
    expect(first.json).toMatchObject([{ thread_id: keel }]);
    expect(first.headers.get('x-total-count')).toBe('2');
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect((await api.admin('GET', next.replace(/^https?:\/\/[^/]+/, ''))).json).toMatchObject([
      { thread_id: hull, last_message_at: '1970-01-01T00:00:05.000Z' },
    ]);
    expect(await topics({ before: 'x' })).toMatchObject({ status: 400 });
  });

  test('are those of one chat, as one bot sees them', async () => {
    await sent({ text: 'a', thread_id: hull });
    expect(await listed({ bot_id: other.id })).toEqual([]);
    expect(await listed({ chat_id: chat - 1 })).toEqual([]);
  });

  test('are shown to whoever has the bot, and to no other account or key', async () => {
    await sent({ text: 'a', thread_id: hull });
    const { db } = api.database;
    const owner = restClient(api.url, (await insertAccount(db, { username: `o-${chat}`, bots: [bot.id] })).key);
    const stranger = restClient(api.url, (await insertAccount(db, { username: `s-${chat}`, bots: [other.id] })).key);
    expect((await topics({}, owner)).json).toMatchObject([{ thread_id: hull }]);
    expect((await topics({}, stranger)).status).toBe(403);
    const made = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'k', bot_ids: [other.id] } });
    const limited = restClient(api.url, (made.json as { key: string }).key);
    expect((await topics({}, limited)).status).toBe(403);
  });

  test('go with their chat, and with their bot', async () => {
    await sent({ text: 'a', thread_id: hull });
    const deleted = await api.admin('POST', '/api/chats/delete', { body: { bot_id: bot.id, chat_id: chat } });
    expect(deleted.status).toBe(200);
    expect(await listed()).toEqual([]);
    await sent({ text: 'b', thread_id: keel });
    expect(await listed()).toMatchObject([{ thread_id: keel }]);
  });
});
