import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import { historyChatStore } from '@flotilla/domain/records/history/history-chat-store.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

/** Someone who writes to two business accounts, for which the bot answers. */
const PERSON = 777;
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
    date: 2_000,
    chat: { id: PERSON, type: 'private', first_name: 'Ada' },
    from: bot,
    text: params.text,
    ...(params.business_connection_id && { business_connection_id: params.business_connection_id }),
  };
  response.end(JSON.stringify({ ok: true, result: /^(send|edit)/.test(method) ? message : true }));
});

let api: TestApi;
let botId: number;

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
  ({ id: botId } = await api.addBot());
  await storeMessages(api.database.db, botId, [
    { ...ofPerson, id: 5, date: 1_001, text: 'to the first', business_connection_id: FIRST },
    { ...ofPerson, id: 5, date: 1_002, text: 'to the second', business_connection_id: SECOND },
    { ...ofPerson, id: 6, date: 1_003, text: 'to the first again', business_connection_id: FIRST },
  ]);
  const ada = { type: 'private', title: null, username: null, firstName: 'Ada', lastName: null, added: 0 };
  await historyChatStore(api.database.db).upsertChats([{ ...ada, botId, id: PERSON, newest: null }]);
  calls.length = 0;
});

const chat = () => ({ bot_id: botId, chat_id: PERSON });
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

  test('are answered through the last connection of the chat, and the answer is stored with it', async () => {
    const sent = await act('/api/messages/send', { text: 'Hello' });
    expect(sent).toMatchObject({ status: 200, json: { id: 900, business_connection_id: FIRST } });
    expect(newest()).toMatchObject({ method: 'sendMessage', params: { business_connection_id: FIRST } });
    expect((await list({ limit: 1 }))[0]).toMatchObject({ id: 900, business_connection_id: FIRST });
  });

  test('are answered through the connection that is given, or that of the message that is answered', async () => {
    await act('/api/messages/send', { text: 'Hello', business_connection_id: SECOND });
    expect(newest()?.params).toMatchObject({ business_connection_id: SECOND });
    await act('/api/messages/send', { text: 'Hello', reply_to_message_id: 5 });
    expect(newest()?.params).toMatchObject({ business_connection_id: SECOND });
  });

  test('of a person who also writes to the bot itself are answered by the bot itself', async () => {
    await storeMessages(api.database.db, botId, [{ chat_id: PERSON, id: 1, date: 900, text: '/start' }]);
    await act('/api/messages/send', { text: 'Hello' });
    expect(newest()?.params).not.toHaveProperty('business_connection_id');
  });

  test('are edited, pinned, unpinned and deleted through their connection', async () => {
    for (const [path, method] of [
      ['pin', 'pinChatMessage'],
      ['unpin', 'unpinChatMessage'],
    ]) {
      expect((await act(`/api/messages/${path}`, { message_id: 5, business_connection_id: FIRST })).status).toBe(200);
      expect(newest()).toMatchObject({ method, params: { message_id: 5, business_connection_id: FIRST } });
    }
    await act('/api/messages/edit', { message_id: 6, text: 'Better' });
    expect(newest()).toMatchObject({ method: 'editMessageText', params: { business_connection_id: FIRST } });
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

  test('are read up to the one of the connection that is given', async () => {
    const unread = async () => {
      const query = { bot_id: botId, order: 'recent' };
      return ((await api.admin('GET', '/api/chats', { query })).json as ChatResource[])[0]?.unread;
    };
    await act('/api/chats/read', { message_id: 5, business_connection_id: FIRST });
    expect(await unread()).toBe(2);
    await act('/api/chats/read', { message_id: 5, business_connection_id: SECOND });
    expect(await unread()).toBe(1);
    expect((await act('/api/chats/read', { message_id: 6, business_connection_id: SECOND })).status).toBe(404);
  });

  test('are answered when the owner of the account writes', async () => {
    const shown = async () =>
      ((await api.admin('GET', '/api/chats', { query: { bot_id: botId, order: 'recent' } })).json as ChatResource[])[0];
    expect(await shown()).toMatchObject({ awaits_answer: true, unread: 3 });
    const owners = { chat_id: PERSON, user_id: 1, id: 7, date: 1_004, text: 'Coming', business_connection_id: FIRST };
    await storeMessages(api.database.db, botId, [owners]);
    expect(await shown()).toMatchObject({ awaits_answer: false, unread: 0 });
  });

  test('their chat names the last connection while the bot knows the chat through connections only', async () => {
    const shown = async (order: string) =>
      ((await api.admin('GET', '/api/chats', { query: { bot_id: botId, order } })).json as ChatResource[])[0];
    expect(await shown('id')).toMatchObject({ business_connection_id: FIRST });
    expect(await shown('recent')).toMatchObject({
      business_connection_id: FIRST,
      last_message: { id: 6, business_connection_id: FIRST },
    });
    await storeMessages(api.database.db, botId, [{ chat_id: PERSON, id: 1, date: 900, text: '/start' }]);
    expect(await shown('id')).not.toHaveProperty('business_connection_id');
  });
});
