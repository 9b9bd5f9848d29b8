import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import { settleAll } from '@flotilla/domain/records/chats/settle-conversations.ts';
import { historyChatStore } from '@flotilla/domain/records/history/history-chat-store.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

/** Someone who writes to two business accounts, for which the bot answers. */
const PERSON = 777;
const NOW_S = Math.floor(Date.now() / 1000);
const ofPerson = { chat_id: PERSON, user_id: PERSON };
const [FIRST, SECOND] = ['connection-1', 'connection-2'];

type Called = { method: string; params: Record<string, unknown> };
const calls: Called[] = [];
const platform = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)/.exec(request.url ?? '') ?? [];
  const params = body === '' ? {} : JSON.parse(body);
  const id = Number(token.split(':')[0]);
  const bot = { id, is_bot: true, first_name: 'Bot', username: 'a_bot' };
  if (method === 'getMe') {
    response.end(JSON.stringify({ ok: true, result: bot }));
    return;
  }
  calls.push({ method, params });
  const message = {
    message_id: params.message_id ?? 900,
    date: NOW_S,
    chat: { id: PERSON, type: 'private', first_name: 'Ada' },
    from: bot,
    text: params.text,
    ...(params.business_connection_id && { business_connection_id: params.business_connection_id }),
  };
  response.end(JSON.stringify({ ok: true, result: /^(send|edit)/.test(method) ? message : true }));
});

let api: TestApi;
let bot_id: number;

beforeAll(async () => {
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  api = await startTestApi({ TELEGRAM_API_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}` });
}, 60_000);
afterAll(async () => {
  await api?.stop();
  platform.closeAllConnections();
  await new Promise((resolve) => platform.close(resolve));
});
beforeEach(async () => {
  ({ id: bot_id } = await api.addBot());
  await storeMessages(api.database.db, bot_id, [
    { ...ofPerson, id: 5, date: 1_001, text: 'to the first', business_connection_id: FIRST },
    { ...ofPerson, id: 5, date: 1_002, text: 'to the second', business_connection_id: SECOND },
    { ...ofPerson, id: 6, date: 1_003, text: 'to the first again', business_connection_id: FIRST },
  ]);
  const ada = {
    type: 'private',
    title: null,
    username: null,
    first_name: 'Ada',
    last_name: null,
    added: 0,
    last_id: 0,
    direct: null,
  };
  await historyChatStore(api.database.db).upsertChats([{ ...ada, bot_id, id: PERSON, newest: null }]);
  calls.length = 0;
});

const chat = () => ({ bot_id, chat_id: PERSON });
const act = (path: string, fields: object) => api.admin('POST', path, { body: { ...chat(), ...fields } });
const list = async (query: object = {}) =>
  (await api.admin('GET', '/api/messages', { query: { ...chat(), ...query } })).json as MessageResource[];
const newest = () => calls.at(-1);

describe('messages of business connections', () => {
  test('name their connection, so those with one id can be told apart, and are filtered by it', async () => {
    const named = (await list()).map(({ id, business_connection_id: of }) => [id, of]);
    expect(named).toEqual([
      [6, FIRST],
      [5, SECOND],
      [5, FIRST],
    ]);
    expect((await list({ business_connection_id: SECOND })).map(({ text }) => text)).toEqual(['to the second']);
    expect(await list({ business_connection_id: '' })).toEqual([]);
    const query = { ...chat(), q: 'first', business_connection_id: SECOND };
    expect((await api.admin('GET', '/api/messages/search', { query })).json).toEqual([]);
  });

  test('are answered where they were written: a call that names no conversation is refused with all of them', async () => {
    const sent = await act('/api/messages/send', { text: 'Hello', business_connection_id: SECOND });
    expect(sent).toMatchObject({ status: 200, json: { id: 900, business_connection_id: SECOND } });
    expect(newest()?.params).toMatchObject({ business_connection_id: SECOND });
    expect((await list({ limit: 1 }))[0]).toMatchObject({ id: 900, business_connection_id: SECOND });
    calls.length = 0;
    for (const reply of [{}, { reply_to_message_id: 6 }]) {
      expect(await act('/api/messages/send', { text: 'Hello', ...reply })).toMatchObject({
        status: 409,
        json: { code: 'ambiguous_conversation', business_connection_ids: [FIRST, SECOND] },
      });
    }
    expect(calls).toEqual([]);
  });

  test('with one id are pinned, and have their sender, in their own conversation', async () => {
    const another = { id: 900, date: NOW_S, outgoing: true, text: 'of the program', business_connection_id: FIRST };
    await storeMessages(api.database.db, bot_id, [{ chat_id: PERSON, ...another }]);
    await act('/api/messages/send', { text: 'of a person', business_connection_id: SECOND });
    const senders = (await list()).filter(({ id }) => id === 900).map(({ text, account }) => [text, account]);
    expect(new Set(senders)).toEqual(
      new Set([
        ['of a person', 'admin'],
        ['of the program', undefined],
      ]),
    );
    await act('/api/messages/pin', { message_id: 5, business_connection_id: FIRST });
    await act('/api/messages/pin', { message_id: 6, business_connection_id: FIRST });
    await act('/api/messages/unpin', { message_id: 5, business_connection_id: SECOND });
    const pins = async (business_connection_id: string) =>
      (await api.admin('GET', '/api/chats/show', { query: { ...chat(), business_connection_id } })).json;
    expect(await pins(FIRST)).toMatchObject({ pinned_message_ids: [5, 6] });
    expect(await pins(SECOND)).toMatchObject({ pinned_message_ids: [] });
    const { json: entries } = await api.admin('GET', '/api/adminlog', { query: { ...chat(), action: 'unpin' } });
    expect(entries).toMatchObject([{ business_connection_id: SECOND }]);
  });

  test('are named where the chat is taken over, in its event', async () => {
    await act('/api/chats/takeover', { business_connection_id: SECOND });
    const { json } = await api.admin('GET', '/api/events', { query: { bot_id, kinds: 'chat.held' } });
    expect(json).toMatchObject([{ chat_id: PERSON, business_connection_id: SECOND }]);
    await act('/api/chats/release', { business_connection_id: SECOND });
  });

  test('of a person who also writes to the bot itself have one conversation more', async () => {
    await storeMessages(api.database.db, bot_id, [{ chat_id: PERSON, id: 1, date: 900, text: '/start' }]);
    expect(await act('/api/messages/send', { text: 'Hello' })).toMatchObject({
      json: { code: 'ambiguous_conversation', business_connection_ids: ['', FIRST, SECOND] },
    });
    await act('/api/messages/send', { text: 'Hello', business_connection_id: '' });
    expect(newest()?.params).not.toHaveProperty('business_connection_id');
  });

  test.each([
    ['one connection', [FIRST], FIRST],
    ['the bot itself', [''], ''],
    ['nobody', [], ''],
  ])('of a chat that is known through %s need no name of the conversation', async (_, connections, expected) => {
    const chat_id = 778;
    const messages = connections.map((of) => ({
      chat_id,
      user_id: 778,
      id: 5,
      date: 9,
      text: 'Hi',
      business_connection_id: of,
    }));
    await storeMessages(api.database.db, bot_id, messages);
    await act('/api/messages/send', { chat_id, text: 'Hello' });
    expect(newest()?.params.business_connection_id ?? '').toBe(expected);
  });

  test('that the release before has stored are told apart by their messages', async () => {
    const legacy = { direct: null, last_date: 1_003, last_incoming_date: 1_003, last_incoming_id: 6 };
    const { db } = api.database;
    await db.updateTable('chats').set(legacy).where('bot_id', '=', bot_id).execute();
    await db.deleteFrom('business_chats').where('bot_id', '=', bot_id).execute();
    const refused = await act('/api/messages/send', { text: 'Hello' });
    expect(refused.json).toMatchObject({ business_connection_ids: [FIRST, SECOND] });
    const settled = db.selectFrom('business_chats').selectAll().where('bot_id', '=', bot_id);
    expect(await settled.orderBy('business_connection_id').execute()).toMatchObject([
      { message_count: 2, last_incoming_date: 1_003, last_incoming_id: 6, last_period: 0 },
      { message_count: 1, last_incoming_date: 1_002, last_incoming_id: 5 },
    ]);
    const chats = db.selectFrom('chats').selectAll().where('bot_id', '=', bot_id);
    expect(await chats.executeTakeFirst()).toMatchObject({ direct: false, last_date: 0, last_incoming_date: null });
    // Upkeep does the same for chats that nobody asks for.
    await db.updateTable('chats').set(legacy).where('bot_id', '=', bot_id).execute();
    await db.deleteFrom('business_chats').where('bot_id', '=', bot_id).execute();
    await settleAll(db, new AbortController().signal);
    expect(await settled.execute()).toHaveLength(2);
    expect(await chats.executeTakeFirst()).toMatchObject({ direct: false, last_date: 0 });
  });

  /** Calls that write into a chat, or change what is there: the method of the platform of each. */
  const METHODS = [
    ['/api/messages/send', { text: 'Hello' }, 'sendMessage'],
    ['/api/messages/send', { media_type: 'photo', file_id: 'AgACAgIAAxkBAAI' }, 'sendPhoto'],
    ['/api/messages/edit', { message_id: 5, text: 'Better' }, 'editMessageText'],
    ['/api/messages/pin', { message_id: 5 }, 'pinChatMessage'],
    ['/api/messages/unpin', { message_id: 5 }, 'unpinChatMessage'],
    ['/api/messages/delete', { message_id: 5 }, 'delete(Business)?Message'],
    ['/api/questions/add', { text: 'Which?', options: ['A', 'B'] }, 'sendMessage'],
  ] as const;
  /** Who is known how. */
  const CHATS: Record<string, string[]> = {
    801: [''],
    802: [FIRST],
    803: [SECOND],
    804: ['', FIRST],
    805: [FIRST, SECOND],
    806: ['', FIRST, SECOND],
  };

  test.each(METHODS)(
    'go by %s %j where the call says, or nowhere, whoever is known how',
    async (path, fields, method) => {
      for (const [chat, known] of Object.entries(CHATS)) {
        const chat_id = Number(chat);
        const message = { chat_id, user_id: chat_id, id: 5, date: 9, text: 'Hi' };
        await storeMessages(
          api.database.db,
          bot_id,
          known.map((of) => ({ ...message, business_connection_id: of })),
        );
        for (const named of [undefined, '', FIRST, SECOND]) {
          calls.length = 0;
          const name = named === undefined ? {} : { business_connection_id: named };
          const { status, json } = await act(path, { chat_id, ...fields, ...name });
          const expected = named ?? (known.length === 1 ? known[0] : null);
          if (expected === null) {
            expect([status, json, calls]).toMatchObject([409, { business_connection_ids: known }, []]);
            continue;
          }
          expect(status).toBe(200);
          expect(calls).toHaveLength(1);
          expect(newest()?.method).toMatch(new RegExp(`^${method}`));
          expect(newest()?.params.business_connection_id ?? '').toBe(expected);
          // What is sent makes a conversation known that was not.
          await api.database.db.deleteFrom('messages').where('chat_id', '=', chat_id).execute();
          for (const table of ['business_chats', 'chats'] as const) {
            await api.database.db.deleteFrom(table).where('bot_id', '=', bot_id).execute();
          }
          await storeMessages(
            api.database.db,
            bot_id,
            known.map((of) => ({ ...message, business_connection_id: of })),
          );
        }
      }
    },
  );

  test('are edited, pinned, unpinned and deleted through their connection', async () => {
    expect((await act('/api/messages/delete', { message_id: 5, business_connection_id: FIRST })).status).toBe(200);
    expect(newest()).toEqual({
      method: 'deleteBusinessMessages',
      params: { chat_id: PERSON, business_connection_id: FIRST, message_ids: '[5]' },
    });
    expect((await list()).map(({ id, business_connection_id: of }) => [id, of])).toContainEqual([5, SECOND]);
    expect((await list()).map(({ id, business_connection_id: of }) => [id, of])).not.toContainEqual([5, FIRST]);
    const audit = await api.admin('GET', '/api/adminlog', { query: { ...chat(), action: 'delete' } });
    expect(audit.json).toMatchObject([{ details: 'message 5', target_id: 5 }]);
  });

  test('are conversations of their own: read, answered, done, reopened and looked after each by itself', async () => {
    await storeMessages(api.database.db, bot_id, [{ ...ofPerson, id: 1, date: 900, text: '/start' }]);
    const factsOf = (rows: ChatResource[]) =>
      rows.map((row) => [
        ...([row.business_connection_id ?? '', row.unread, row.awaits_answer, row.state] as const),
        ...([row.last_message?.id, row.message_count] as const),
      ]);
    const chats = async (query: object = {}) =>
      (await api.admin('GET', '/api/chats', { query: { bot_id, order: 'recent', ...query } })).json as ChatResource[];
    const inbox = async (query: object = {}) => factsOf(await chats(query));
    const names = async (query: object) => (await inbox(query)).map(([of]) => of);
    expect(await inbox()).toEqual([
      [FIRST, 2, true, 'open', 6, 2],
      [SECOND, 1, true, 'open', 5, 1],
      ['', 1, true, 'open', 1, 1],
    ]);
    for (const path of ['read', 'done', 'reopen', 'takeover', 'release', 'assign']) {
      const fields = { read: { message_id: 5 }, assign: { account_id: null } }[path] ?? {};
      expect([path, await act(`/api/chats/${path}`, fields)]).toMatchObject([
        path,
        { status: 409, json: { business_connection_ids: ['', FIRST, SECOND] } },
      ]);
    }
    expect((await api.admin('GET', '/api/chats/show', { query: chat() })).status).toBe(409);
    await act('/api/chats/read', { message_id: 5, business_connection_id: SECOND });
    expect((await act('/api/chats/read', { message_id: 6, business_connection_id: SECOND })).status).toBe(404);
    expect((await inbox()).map(([, unread]) => unread)).toEqual([2, 0, 1]);
    expect(await names({ unread: true })).toEqual([FIRST, '']);
    const owners = { chat_id: PERSON, user_id: 1, id: 7, date: 1_004, text: 'Coming', business_connection_id: FIRST };
    await storeMessages(api.database.db, bot_id, [owners]);
    expect((await inbox()).map(([of, unread, awaits]) => [of, unread, awaits])).toEqual([
      [FIRST, 0, false],
      [SECOND, 0, true],
      ['', 1, true],
    ]);
    await act('/api/chats/done', { business_connection_id: SECOND });
    expect(await names({ state: 'done' })).toEqual([SECOND]);
    expect(await names({ awaits_answer: true })).toEqual(['']);
    await act('/api/chats/assign', { business_connection_id: '', account_id: await ownId() });
    expect(await names({ assigned_to: 'me' })).toEqual(['']);
    expect(await names({ assigned_to: 'none', order: 'id' })).toEqual([FIRST, SECOND]);
    const opening = { ...ofPerson, id: 8, date: 1_005, text: 'And?', business_connection_id: SECOND };
    await storeMessages(api.database.db, bot_id, [opening]);
    expect((await inbox()).map(([of, , , state]) => [of, state])).toEqual([
      [SECOND, 'open'],
      [FIRST, 'open'],
      ['', 'open'],
    ]);
    const shown = (of: string) =>
      api.admin('GET', '/api/chats/show', { query: { ...chat(), business_connection_id: of } });
    expect((await shown('')).json).toMatchObject({ assigned_to: await ownId(), message_count: 1, unread: 1 });
    expect((await shown(FIRST)).json).not.toHaveProperty('assigned_to');
  });

  test('are paged through, by themselves and in both orders', async () => {
    await storeMessages(api.database.db, bot_id, [{ ...ofPerson, id: 1, date: 1_003, text: '/start' }]);
    for (const order of ['id', 'recent']) {
      const found: string[] = [];
      let query: Record<string, string | number> = { bot_id, order, limit: 1 };
      for (;;) {
        const page = await api.admin('GET', '/api/chats', { query });
        found.push(...(page.json as ChatResource[]).map((row) => row.business_connection_id ?? ''));
        const before = /[?&]before=([^&>]+)/.exec(page.headers.get('link') ?? '')?.[1];
        if (before === undefined) break;
        query = { ...query, before };
      }
      expect(found.toSorted()).toEqual(['', FIRST, SECOND]);
    }
  });

  test('are taken over and released each by itself', async () => {
    await storeMessages(api.database.db, bot_id, [{ ...ofPerson, id: 1, date: 900, text: '/start' }]);
    const held = async (query: object = {}) => {
      const { json } = await api.admin('GET', '/api/chats', { query: { bot_id, ...query } });
      return (json as ChatResource[]).filter((row) => row.held_by).map((row) => row.business_connection_id ?? '');
    };
    await act('/api/chats/takeover', { business_connection_id: SECOND });
    expect(await held()).toEqual([SECOND]);
    expect(await held({ held: true, order: 'recent' })).toEqual([SECOND]);
    await act('/api/chats/takeover', { business_connection_id: '' });
    expect(await held({ held_by: 'me' })).toEqual(['', SECOND]);
    expect((await act('/api/chats/release', { business_connection_id: FIRST })).status).toBe(409);
    await act('/api/chats/release', { business_connection_id: SECOND });
    expect(await held()).toEqual(['']);
  });

  test('take questions, whose end is shown where they were asked, and entries of the outbox', async () => {
    const asked = await act('/api/questions/add', { text: 'Ready?', options: ['Yes'], business_connection_id: SECOND });
    expect(asked.json).toMatchObject({ business_connection_id: SECOND });
    await api.admin('POST', '/api/questions/cancel', { body: { id: (asked.json as { id: number }).id } });
    expect(newest()).toMatchObject({ method: 'editMessageText', params: { business_connection_id: SECOND } });
    const of = async (business_connection_id: string) =>
      (await api.admin('GET', '/api/questions', { query: { ...chat(), business_connection_id } })).json;
    expect([await of(SECOND), await of(FIRST)]).toMatchObject([[{}], []]);
    const add = (params: object, fields: object = {}) =>
      api.admin('POST', '/api/outbox/add', {
        body: { bot_id, method: 'sendMessage', params: { chat_id: PERSON, text: 'Hi', ...params }, ...fields },
      });
    expect(await add({})).toMatchObject({ status: 409, json: { business_connection_ids: [FIRST, SECOND] } });
    expect(await add({ business_connection_id: '' })).toMatchObject({ json: { params: { text: 'Hi' } } });
    await storeMessages(api.database.db, bot_id, [
      { chat_id: 778, user_id: 778, id: 5, date: 9, text: 'Hi', business_connection_id: FIRST },
    ]);
    const once = () => add({ chat_id: 778 }, { idempotency_key: 'a' });
    const added = await once();
    expect(added).toMatchObject({ status: 200, json: { params: { business_connection_id: FIRST } } });
    await storeMessages(api.database.db, bot_id, [{ chat_id: 778, user_id: 778, id: 1, date: 10, text: '/start' }]);
    expect((await once()).json).toMatchObject({ id: (added.json as { id: number }).id });
    expect((await add({ chat_id: 778, business_connection_id: '' }, { idempotency_key: 'a' })).status).toBe(422);
  });

  test('go with their chat when it is deleted', async () => {
    await act('/api/chats/read', { message_id: 5, business_connection_id: SECOND });
    expect((await act('/api/chats/delete', {})).status).toBe(200);
    for (const table of ['business_chats', 'business_chat_reads', 'chats'] as const) {
      const rows = api.database.db.selectFrom(table).selectAll().where('bot_id', '=', bot_id);
      expect([table, await rows.execute()]).toEqual([table, []]);
    }
  });
});

async function ownId(): Promise<number> {
  return ((await api.admin('GET', '/api/auth/me')).json as { id: number }).id;
}
