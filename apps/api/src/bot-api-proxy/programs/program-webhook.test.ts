import type { ProgramTokenResource } from '@flotilla/contract/program-tokens.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../config.ts';
import type { Context } from '../../context.ts';

const HOOK = 'https://93.184.216.34/hook';
const PATIENCE = { timeoutMs: 30_000 };

const api = testApi();
let worker: Context;
beforeAll(async () => {
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
});

type Token = ProgramTokenResource & { token: string };

async function post<Answer>(path: string, body: object): Promise<Answer> {
  const answer = await api.admin('POST', `/api/programs/${path}`, { body });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer.json as Answer;
}

async function newProgram(settings: object = {}): Promise<ProgramResource> {
  const bot = await api.addBot({ long_poll_enabled: true });
  return post('add', { bot_id: bot.id, name: 'relay', ...settings });
}

const newToken = ({ id }: ProgramResource, limits: object = {}) =>
  post<Token>('tokens/add', { program_id: id, name: 'own', ...limits });

async function call({ token }: Token, method: string) {
  const answer = await fetch(`${api.url}/tgapi/bot${token}/${method}`);
  const json = (await answer.json()) as { description?: string; result?: Record<string, unknown> };
  return { status: answer.status, ...json };
}

const show = async ({ id }: ProgramResource) =>
  (await api.admin('GET', '/api/programs/show', { query: { id } })).json as ProgramResource;

describe('a webhook that a token set', () => {
  test('goes with the token, and not with another one of the program', async () => {
    const program = await newProgram();
    const [setter, other] = [await newToken(program), await newToken(program)];
    expect((await call(setter, `setWebhook?url=${HOOK}`)).status).toBe(200);
    await post('tokens/delete', { id: other.id });
    expect(await show(program)).toMatchObject({ mode: 'push', backend_url: HOOK });
    await post('tokens/delete', { id: setter.id });
    expect(await show(program)).toMatchObject({ mode: 'pull', backend_url: '' });
    const query = { bot_id: program.bot_id };
    const log = (await api.admin('GET', '/api/adminlog', { query })).json as { details: string }[];
    const ended = expect.stringMatching(/; the webhook that it set was deleted$/);
    expect(log.map(({ details }) => details)).toContainEqual(ended);
  });

  test('is that of the token which set it last; one that people set outlives all', async () => {
    const program = await newProgram();
    const [first, second] = [await newToken(program), await newToken(program)];
    expect((await call(first, `setWebhook?url=${HOOK}`)).status).toBe(200);
    // One in a second is possible.
    await waitFor(
      async () => (await call(second, `setWebhook?url=${HOOK}`)).description === 'Webhook was set',
      PATIENCE,
    );
    await post('tokens/delete', { id: first.id });
    expect((await show(program)).mode).toBe('push');
    await post('update', { id: program.id, backend_url: `${HOOK}/own` });
    await post('tokens/delete', { id: second.id });
    expect(await show(program)).toMatchObject({ mode: 'push', backend_url: `${HOOK}/own` });
  });

  test('shows the secrets of its URL to this token alone', async () => {
    const [program, url] = [await newProgram(), 'https://me:a-password@93.184.216.34/hook?key=a-key'];
    const [setter, other] = [await newToken(program), await newToken(program, { methods: ['send'], chats: [5] })];
    expect((await call(setter, `setWebhook?url=${encodeURIComponent(url)}`)).status).toBe(200);
    const shown = async (token: Token) => (await call(token, 'getWebhookInfo')).result?.url;
    expect(await shown(setter)).toBe(url);
    expect(await shown(other)).toBe('https://****@93.184.216.34/hook?key=****');
    await post('update', { id: program.id, backend_url: url.replace('hook', 'ours') });
    expect(await shown(setter)).toBe('https://****@93.184.216.34/ours?key=****');
  });

  test.each([false, true])(
    'has kinds of its own, and changes none of its program (exclusive: %s)',
    async (exclusive) => {
      const program = await newProgram({ exclusive, kinds: ['poll', 'message'] });
      const token = await newToken(program);
      const set = async (query: string) => {
        // One in a second is possible.
        await waitFor(async () => (await call(token, `setWebhook?url=${HOOK}${query}`)).status === 200, PATIENCE);
        const { kinds, webhook_kinds: ofWebhook } = await show(program);
        return [kinds, ofWebhook, (await call(token, 'getWebhookInfo')).result?.allowed_updates];
      };
      const kinds = (...list: string[]) => `&allowed_updates=${encodeURIComponent(JSON.stringify(list))}`;
      const [own, wider] = [program.kinds, ['message', 'callback_query']];
      expect(await set('')).toEqual([own, undefined, undefined]);
      expect(await set(kinds(...wider))).toEqual([own, wider, wider]);
      expect(await set('&max_connections=3')).toEqual([own, wider, wider]);
      expect(await set(kinds())).toEqual([own, undefined, undefined]);
      expect(await set(kinds('message'))).toEqual([own, ['message'], ['message']]);
      await call(token, 'deleteWebhook');
      expect((await call(token, 'getWebhookInfo')).result).not.toHaveProperty('allowed_updates');
      expect(await set('')).toEqual([own, undefined, undefined]);
    },
  );
});

async function accept(program: ProgramResource, updateId: number): Promise<void> {
  await worker.directory.refresh();
  const raw = `{"update_id":${updateId},"message":{"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5}}}`;
  const { updates } = sliceUpdates(`{"ok":true,"result":[${raw}]}`)!;
  await acceptUpdates(worker, worker.directory.byId(program.bot_id)!, updates);
}

describe('setWebhook', () => {
  test('takes the URLs that the token of the bot may give: without a scheme it is https', async () => {
    const program = await newProgram();
    const token = await newToken(program);
    expect(await call(token, 'setWebhook?url=93.184.216.34/hook')).toMatchObject({ description: 'Webhook was set' });
    expect((await call(token, 'getWebhookInfo')).result?.url).toBe('93.184.216.34/hook');
    expect(await show(program)).toMatchObject({ mode: 'push', backend_url: '93.184.216.34/hook' });
  });

  test('drops what waits in the same step', async () => {
    const program = await newProgram();
    const token = await newToken(program);
    await accept(program, 7);
    expect(await call(token, `setWebhook?url=${HOOK}`)).toMatchObject({ description: 'Webhook was set' });
    expect((await call(token, 'getWebhookInfo')).result?.pending_update_count).toBe(1);
    const again = async () => (await call(token, `setWebhook?url=${HOOK}&drop_pending_updates=1`)).status === 200;
    await waitFor(again, PATIENCE);
    expect((await call(token, 'getWebhookInfo')).result).toMatchObject({ url: HOOK, pending_update_count: 0 });
    await accept(program, 8);
    await call(token, 'deleteWebhook');
    expect((await call(token, 'getUpdates')).result).toMatchObject([{ update_id: 8 }]);
    await call(token, 'deleteWebhook?drop_pending_updates=1');
    expect((await call(token, 'getUpdates')).result).toEqual([]);
  });

  test('that is refused leaves the backend and what waits for it as they are', async () => {
    const program = await newProgram();
    const token = await newToken(program);
    expect((await call(token, `setWebhook?url=${HOOK}`)).status).toBe(200);
    await accept(program, 7);
    const large = await post<ProgramResource>('add', { bot_id: program.bot_id, name: 'large' });
    // Above what the programs of a bot may have together.
    const certificate = 'a'.repeat(1024 * 1024);
    const { db } = api.database;
    await db.updateTable('programs').set({ backend_certificate: certificate }).where('id', '=', large.id).execute();
    const set = `setWebhook?url=${HOOK}/other&drop_pending_updates=1`;
    const refused = await waitFor(async () => {
      const answer = await call(token, set);
      return answer.status === 429 ? null : answer;
    }, PATIENCE);
    expect(refused).toMatchObject({ status: 400, description: expect.stringContaining('1 MiB') });
    expect((await call(token, 'getWebhookInfo')).result).toMatchObject({ url: HOOK, pending_update_count: 1 });
    expect((await call(token, 'setWebhook?url=http://169.254.169.254/&drop_pending_updates=1')).status).toBe(400);
    expect((await call(token, 'getWebhookInfo')).result).toMatchObject({ url: HOOK, pending_update_count: 1 });
  });
});

describe('setWebhook without a URL', () => {
  const forms: [string, string, RequestInit][] = [
    ['in the query string', 'setWebhook?url=', {}],
    ['with nothing at all', 'SETWEBHOOK', { method: 'POST' }],
    ['in JSON', 'setWebhook', { method: 'POST', body: '{"url":""}', headers: { 'content-type': 'application/json' } }],
    ['urlencoded', 'setWebhook', { method: 'POST', body: new URLSearchParams({ url: '' }) }],
  ];
  test.each(forms)('is deleteWebhook for every token (%s)', async (_name, path, init) => {
    const program = await newProgram();
    const [sends, ofChat, sets] = [
      await newToken(program, { methods: ['send'] }),
      await newToken(program, { methods: ['send'], chats: [5] }),
      await newToken(program),
    ];
    const ask = async ({ token }: Token) => {
      const answer = await fetch(`${api.url}/tgapi/bot${token}/${path}`, init);
      return { status: answer.status, ...((await answer.json()) as { description?: string }) };
    };
    const already = { status: 200, description: 'Webhook is already deleted' };
    for (const token of [sends, ofChat, sets]) expect(await ask(token)).toMatchObject(already);
    expect((await call(sends, `setWebhook?url=${HOOK}`)).description).toBe(
      'Forbidden: this token may not call setWebhook',
    );
    expect((await call(sets, `setWebhook?url=${HOOK}`)).status).toBe(200);
    for (const token of [sends, ofChat]) expect((await ask(token)).status).toBe(403);
    expect(await ask(sets)).toMatchObject({ status: 200, description: 'Webhook was deleted' });
    expect((await show(program)).mode).toBe('pull');
  });
});

test('a token with chats sets a webhook if the filter of its program stays within them', async () => {
  const within = await newProgram({ filter: { chat_ids: [5, -100] } });
  const of = (chats: number[]) => newToken(within, { chats, methods: ['send', 'setWebhook'] });
  const [all, some, more] = [await of([5, -100]), await of([5]), await of([5, 7, -100])];
  expect((await call(some, `setWebhook?url=${HOOK}`)).description).toMatch(
    /limited to chats or topics, and its program is not/,
  );
  expect((await call(all, `setWebhook?url=${HOOK}`)).status).toBe(200);
  expect((await call(some, 'deleteWebhook')).status).toBe(403);
  expect((await call(all, 'getWebhookInfo')).result?.url).toBe(HOOK);
  expect((await call(more, 'deleteWebhook')).description).toBe('Webhook was deleted');
  for (const filter of [undefined, { user_ids: [5] }]) {
    const program = await newProgram(filter && { filter });
    expect((await call(await newToken(program, { chats: [5] }), `setWebhook?url=${HOOK}`)).status).toBe(403);
  }
});

test('a token with topics sets a webhook if the filter of its program stays within them', async () => {
  const program = await newProgram({ filter: { chat_ids: [-100], thread_ids: [120, 121] } });
  const of = (threads: number[]) => newToken(program, { chats: [-100], threads, methods: ['send', 'setWebhook'] });
  const [all, some] = [await of([121, 120, 0]), await of([120])];
  expect((await call(some, `setWebhook?url=${HOOK}`)).description).toMatch(/limited to chats or topics/);
  expect((await call(all, `setWebhook?url=${HOOK}`)).status).toBe(200);
  expect((await call(some, 'deleteWebhook')).status).toBe(403);
});

test('a token that may not read the updates of its program does not drop them', async () => {
  const program = await newProgram();
  const [sends, reads] = [await newToken(program, { methods: ['send'] }), await newToken(program)];
  await accept(program, 7);
  expect((await call(sends, 'deleteWebhook?drop_pending_updates=1')).status).toBe(403);
  expect((await call(sends, 'deleteWebhook')).status).toBe(200);
  expect((await call(reads, 'getUpdates')).result).toMatchObject([{ update_id: 7 }]);
});

test('methods of managed bots must be named, by an admin of all bots', async () => {
  const program = await newProgram();
  expect((await call(await newToken(program), 'getManagedBotToken?user_id=5')).status).toBe(403);
  const methods = ['getmanagedbottoken'];
  const named = await call(await newToken(program, { methods }), 'getManagedBotToken?user_id=5');
  expect(named.description ?? '').not.toMatch(/this token may not/);
  const { key } = await insertAccount(api.database.db, { username: 'somebody', bots: [program.bot_id] });
  const body = { program_id: program.id, name: 'mine', methods };
  expect((await restClient(api.url, key)('POST', '/api/programs/tokens/add', { body })).status).toBe(403);
});
