import type { BotResource } from '@flotilla/contract/bots.ts';
import { type Operation, takesVersion } from '@flotilla/contract/operation.ts';
import { operations } from '@flotilla/contract/operations.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';

const CHAT = 71;

const api = testApi();
let bot: BotResource;
let made = 0;

beforeAll(async () => {
  bot = await api.addBot();
  await storeMessages(api.database.db, bot.id, [{ id: 1, chat_id: CHAT, date: 1_770_000_000, text: 'Hello' }]);
});

type Kind = {
  path: string;
  add: () => Promise<{ id: number }>;
  /** A change that callers make, once with each value. */
  change: (value: string) => object;
  kept?: true;
};

const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
  api.admin('POST', path, { body, headers });
const added = async (path: string, body: object) => (await post(`${path}/add`, body)).json as { id: number };
const name = () => `etag-${++made}`;
const TOMORROW = () => Math.floor(Date.now() / 1000) + 86_400;

const KINDS: Record<string, Kind> = {
  bot: { path: '/api/bots', add: () => api.addBot(), change: (value) => ({ description: value }) },
  program: {
    path: '/api/programs',
    add: () => added('/api/programs', { bot_id: bot.id, name: name() }),
    change: (value) => ({ filter: { keyword: value } }),
  },
  rule: {
    path: '/api/routes',
    add: () => {
      const condition = { condition_type: 'keyword', condition_value: 'x', action: 'drop' };
      return added('/api/routes', { source_bot_id: bot.id, target_bot_id: bot.id, ...condition });
    },
    change: (value) => ({ condition_value: value }),
  },
  account: {
    path: '/api/auth/users',
    add: () => added('/api/auth/users', { username: name(), password: 'a long enough password', bot_ids: [bot.id] }),
    change: (value) => ({ display_name: value }),
  },
  note: {
    path: '/api/notes',
    add: () => added('/api/notes', { bot_id: bot.id, chat_id: CHAT, text: 'Refund agreed' }),
    change: (value) => ({ text: value }),
  },
  'saved reply': {
    path: '/api/replies',
    add: () => added('/api/replies', { name: name(), text: 'Hello', bot_ids: null }),
    change: (value) => ({ text: value }),
  },
  'event sink': {
    path: '/api/event-sinks',
    add: () => added('/api/event-sinks', { name: name(), bot_id: bot.id, chat_id: CHAT }),
    change: (value) => ({ name: value }),
  },
  broadcast: {
    path: '/api/broadcasts',
    add: () => {
      const content = { method: 'sendMessage', params: { text: 'Hello' }, send_at: TOMORROW() };
      return added('/api/broadcasts', { bot_id: bot.id, name: name(), audience: { chat_ids: [CHAT] }, ...content });
    },
    change: (value) => ({ name: value }),
    kept: true,
  },
};

describe.each(Object.entries(KINDS))('a %s', (_name, { path, add, change, kept }) => {
  const show = (id: number, headers: Record<string, string> = {}) =>
    api.admin('GET', `${path}/show`, { query: { id }, headers });
  const tagOf = async (id: number) => (await show(id)).headers.get('etag')!;
  const update = (id: number, value: string, tag: string) =>
    post(`${path}/update`, { id, ...change(value) }, { 'if-match': tag });

  test('is changed by one of many who start from the same answer', async () => {
    const { id } = await add();
    const read = await tagOf(id);
    const values = ['one', 'two', 'three', 'four'];
    const answers = await Promise.all(values.map((value) => update(id, value, read)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await show(id)).toMatchObject({ json: change(values[winner]!) });
    expect(answers.find(({ status }) => status === 412)?.json).toMatchObject({ code: 'precondition_failed' });
    // The answer of a change is as good a start as a read.
    expect(await update(id, 'five', answers[winner]!.headers.get('etag')!)).toMatchObject({ status: 200 });
    expect(await post(`${path}/update`, { id, ...change('six') })).toMatchObject({ status: 200 });
    expect(await update(id, 'seven', '*')).toMatchObject({ status: 200 });
  });

  test('is not sent again to who has it', async () => {
    const { id } = await add();
    const tag = await tagOf(id);
    const again = await show(id, { 'if-none-match': `"another", W/${tag}` });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    await post(`${path}/update`, { id, ...change('changed') });
    expect(await show(id, { 'if-none-match': tag })).toMatchObject({ status: 200, json: change('changed') });
  });

  if (kept) return;
  test('is not deleted by who has not seen its last change', async () => {
    const { id } = await add();
    const tag = await tagOf(id);
    await post(`${path}/update`, { id, ...change('changed') });
    expect(await post(`${path}/delete`, { id }, { 'if-match': tag })).toMatchObject({ status: 412 });
    expect(await post(`${path}/delete`, { id }, { 'if-match': await tagOf(id) })).toMatchObject({ status: 200 });
    expect(await post(`${path}/update`, { id, ...change('x') }, { 'if-match': tag })).toMatchObject({ status: 404 });
  });
});

test('a bot is compared as it is stored, also by a replica that has not heard of its last change', async () => {
  const { id } = await api.addBot();
  const change = (description: string, headers?: Record<string, string>) =>
    post('/api/bots/update', { id, description }, headers);
  const tag = (await change('one')).headers.get('etag')!;
  await change('two');
  // Another replica does so, and tells this one a moment later.
  const stored = { description: 'one', revision: sql<number>`nextval('bot_revisions')` };
  await api.database.db.updateTable('bots').set(stored).where('id', '=', id).execute();
  expect(await change('three', { 'if-match': tag })).toMatchObject({ status: 200 });
});

test('a note keeps its tag when somebody reads it', async () => {
  const reader = await insertAccount(api.database.db, { username: 'reader', bots: [bot.id] });
  const { id } = await added('/api/notes', { bot_id: bot.id, chat_id: CHAT, text: 'x', mentions: [reader.id] });
  const tag = async () => (await api.admin('GET', '/api/notes/show', { query: { id } })).headers.get('etag');
  const before = await tag();
  await restClient(api.url, reader.key)('POST', '/api/notes/read', { body: { bot_id: bot.id, chat_id: CHAT } });
  expect(await tag()).toBe(before);
});

test('what is alike has different tags, so that nobody finds a secret by comparing them', async () => {
  const versionOf = async (named: string) => {
    const { id: bot_id } = await api.addBot();
    const { id } = await added('/api/programs', { bot_id, name: named, secret_token: 'guessed' });
    const { headers } = await api.admin('GET', '/api/programs/show', { query: { id } });
    return headers.get('etag')!.split('.')[0];
  };
  expect(await versionOf('alike')).not.toBe(await versionOf('alike'));
});

test('every operation that changes something by its id takes If-Match', () => {
  const others = Object.values<Operation>(operations).filter(
    ({ method, paths: [path], ...operation }) =>
      method === 'POST' && /\/update$/.test(path) && !path.startsWith('/api/upstreams/') && !takesVersion(operation),
  );
  expect(others.map(({ paths }) => paths[0])).toEqual([]);
});
