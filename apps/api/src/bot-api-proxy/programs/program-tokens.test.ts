import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { METHOD_GROUPS, METHODS } from '@flotilla/contract/bot-api/methods.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramTokenResource } from '@flotilla/contract/program-tokens.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { groupOfMethod } from '@flotilla/telegram/method-groups.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../config.ts';
import type { Context } from '../../context.ts';

/** The calls that the platform got, in order. It answers everything, and repeats the token in its answers. */
const calls: { path: string; body: string }[] = [];
const platform = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const token = /^\/(?:file\/)?bot([^/]+)/.exec(req.url ?? '')?.[1] ?? '';
    // The calls of the tests, without those that Flotilla makes by itself.
    if (req.headers['x-test'] !== undefined) {
      calls.push({ path: req.url ?? '', body: Buffer.concat(chunks).toString() });
    }
    const me = { id: Number(token.split(':')[0]), is_bot: true, first_name: 'Bot', username: 'a_bot' };
    res.setHeader('Location', `https://platform.example/bot${token}/again`);
    res.setHeader('Content-Type', 'application/json');
    const answer = JSON.stringify({ ok: true, result: { ...me, file_path: `/data/${token}/a.jpg`, url: req.url } });
    const packs = req.url?.includes('packed') === true;
    if (packs) res.setHeader('Content-Encoding', 'gzip');
    res.end(packs ? gzipSync(answer) : answer);
  });
});

let api: TestApi;
let worker: Context;
let bot: BotResource;
let program: ProgramResource;
let names = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  api = await startTestApi({ TELEGRAM_API_URL: url });
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
  bot = await api.addBot({ long_poll_enabled: true });
  program = await addProgram(bot);
}, 60_000);
afterAll(async () => {
  await api?.stop();
  platform.closeAllConnections();
  await new Promise((resolve) => platform.close(resolve));
});
beforeEach(() => {
  calls.length = 0;
});

async function addProgram(of: BotResource): Promise<ProgramResource> {
  names += 1;
  const body = { bot_id: of.id, name: `program ${names}` };
  return (await api.admin('POST', '/api/programs/add', { body })).json as ProgramResource;
}

async function newToken(limits: object = {}, of = program): Promise<ProgramTokenResource & { token: string }> {
  const body = { program_id: of.id, name: 'a token', ...limits };
  const made = await api.admin('POST', '/api/programs/tokens/add', { body });
  expect({ status: made.status, text: made.text }).toEqual({ status: 200, text: expect.any(String) });
  return made.json as ProgramTokenResource & { token: string };
}

type Sent = {
  status: number;
  json: { ok: boolean; description?: string; result?: never };
  text: string;
  location: string;
};

async function send(token: string, method: string, init: RequestInit = {}, url = api.url): Promise<Sent> {
  const headers = { ...(init.headers as Record<string, string>), 'x-test': '1' };
  const answer = await fetch(`${url}/tgapi/bot${token}/${method}`, { redirect: 'manual', ...init, headers });
  const text = await answer.text();
  const location = answer.headers.get('location') ?? '';
  return { status: answer.status, text, location, json: text.startsWith('{') ? JSON.parse(text) : {} };
}

const json = (fields: object | string): RequestInit => ({
  method: 'POST',
  body: typeof fields === 'string' ? fields : JSON.stringify(fields),
  headers: { 'content-type': 'application/json' },
});
const urlencoded = (body: string): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});
const part = (name: string, content: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
const photo = (bytes = 10) => part('photo', 'x'.repeat(bytes), '; filename="p.jpg"');
const form = (...parts: string[]): RequestInit => ({
  method: 'POST',
  body: `${parts.join('')}--b--\r\n`,
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
});

/** The chats that a call names, read strictly: JSON of texts, or a form with the headers that we write. */
function namedIn({ path, body }: { path: string; body: string }): Record<string, unknown> {
  expect(path).not.toContain('?');
  if (!body.startsWith('--flotilla-')) return JSON.parse(body);
  const [boundary] = body.split('\r\n', 1) as [string];
  const parts = body.split(`${boundary}\r\n`).slice(1);
  expect(parts.at(-1)!.endsWith(`\r\n${boundary}--\r\n`)).toBe(true);
  const named = parts.map((one) => {
    const found =
      /^Content-Disposition: form-data; name="([\w.-]+)"(; filename="[^"%\\\r\n]*"\r\n[^\r\n]+)?\r\n\r\n/.exec(one)!;
    const value = one.slice(found[0].length).split(`\r\n${boundary}--`)[0]!.replace(/\r\n$/, '');
    return [found[1]!, found[2] === undefined ? value : { file: value.length }] as const;
  });
  expect(new Set(named.map(([name]) => name)).size).toBe(named.length);
  return Object.fromEntries(named);
}

describe('a token of a program', () => {
  test('calls the platform as the bot, and neither answer nor header shows the token of the bot', async () => {
    const { token } = await newToken();
    expect(token).toMatch(/^\d+:fv[\w-]{33}$/);
    const answer = await send(token, 'getChat?chat_id=5');
    expect(answer.status).toBe(200);
    expect(calls).toEqual([{ path: `/bot${bot.token}/getChat?chat_id=5`, body: '' }]);
    const secret = bot.token.split(':')[1]!;
    expect(answer.text).toContain('/a.jpg');
    expect(answer.location).toContain('/again');
    expect(answer.text + answer.location).not.toContain(secret);
    expect(api.logLines.join('\n')).not.toContain(secret);
  });

  test('gets no answer that is compressed, because the token of the bot may be in it', async () => {
    const { token } = await newToken();
    const answer = await send(token, 'getChat?chat_id=packed');
    expect({ status: answer.status, location: answer.location }).toEqual({ status: 502, location: '' });
    expect(answer.text).not.toContain(bot.token.split(':')[1]);
  });

  test('is stored as a hash, and shown once', async () => {
    const { token, id } = await newToken();
    const list = await api.admin('GET', '/api/programs/tokens', { query: { program_id: program.id } });
    expect(list.json).toContainEqual(
      expect.objectContaining({ id, prefix: token.slice(0, token.indexOf(':') + 7), made_by: 'admin' }),
    );
    expect(list.text).not.toContain(token);
    const rows = JSON.stringify(await api.database.db.selectFrom('program_tokens').selectAll().execute());
    expect(rows).not.toContain(token.split(':')[1]);
  });

  test('polls at the cursor of its program, beside the token of the bot', async () => {
    const other = await api.addBot({ long_poll_enabled: true });
    const { token } = await newToken({}, await addProgram(other));
    await worker.directory.refresh();
    const raws = [1, 2].map(
      (id) => `{"update_id":${id},"message":{"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5}}}`,
    );
    const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join(',')}]}`);
    await acceptUpdates(worker, worker.directory.byId(other.id)!, sliced!.updates);
    const poll = async (of: string, offset: number) =>
      ((await send(of, `getUpdates?offset=${offset}`)).json.result as unknown as { update_id: number }[]).map(
        ({ update_id }) => update_id,
      );
    expect([await poll(token, 0), await poll(other.token, 0)]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect([await poll(token, 3), await poll(other.token, 0)]).toEqual([[], [1, 2]]);
    expect((await send(token, 'getWebhookInfo')).json.result).toMatchObject({ url: '', pending_update_count: 0 });
    expect((await send(other.token, 'getWebhookInfo')).json.result).toMatchObject({ pending_update_count: 2 });
    for (const method of ['deleteWebhook?drop_pending_updates=1', 'logOut', 'close']) {
      expect((await send(token, method)).json).toMatchObject({ ok: true, result: true });
    }
    expect(await poll(other.token, 0)).toEqual([1, 2]);
    expect(calls).toEqual([]);
  });

  test('cannot spin: a poll without a timeout that is repeated at once takes 3 s', async () => {
    const other = await api.addBot({ long_poll_enabled: true });
    const [{ token }, beside] = [
      await newToken({}, await addProgram(other)),
      await newToken({}, await addProgram(other)),
    ];
    const timed = async (of: string, query = '') => {
      const begunAtMs = performance.now();
      expect((await send(of, `getUpdates${query}`)).json).toEqual({ ok: true, result: [] });
      return performance.now() - begunAtMs;
    };
    const THROTTLED_MS = 2900;
    const first = await timed(token);
    const [again, ofAnother] = await Promise.all([timed(token), timed(beside.token)]);
    expect(again).toBeGreaterThan(THROTTLED_MS);
    for (const atOnce of [first, ofAnother]) expect(atOnce).toBeLessThan(again);
  });

  test('sets and deletes a webhook of its program alone', async () => {
    const other = await api.addBot({ long_poll_enabled: true });
    const program = await addProgram(other);
    const { token } = await newToken({}, program);
    await worker.directory.refresh();
    const set =
      'setWebhook?url=https://93.184.216.34/hook&secret_token=mine&max_connections=7&allowed_updates=["poll"]';
    expect((await send(token, set)).json).toMatchObject({ ok: true, description: 'Webhook was set' });
    expect((await send(token, set)).json).toMatchObject({ ok: true, description: 'Webhook is already set' });
    const webhook = { url: 'https://93.184.216.34/hook', max_connections: 7, allowed_updates: ['poll'] };
    expect((await send(token, 'getWebhookInfo')).json.result).toMatchObject(webhook);
    expect(await send(token, 'getUpdates')).toMatchObject({
      status: 409,
      json: {
        description:
          "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      },
    });
    expect((await send(other.token, 'getWebhookInfo')).json.result).toMatchObject({ url: '' });
    expect((await send(other.token, 'getUpdates')).status).toBe(200);
    const shown = await api.admin('GET', '/api/programs/show', { query: { id: program.id } });
    expect(shown.json).toMatchObject({
      mode: 'push',
      secret_token: 'mine',
      max_connections: 7,
      webhook_kinds: ['poll'],
    });
    const { key } = await insertAccount(api.database.db, { username: 'reader', bots: [other.id] });
    const toOthers = await restClient(api.url, key)('GET', '/api/programs/show', { query: { id: program.id } });
    expect(toOthers.json).toMatchObject({ secret_token: '****' });
    expect((await send(token, 'setWebhook?url=http://169.254.169.254/')).status).toBe(400);
    expect((await send(token, 'deleteWebhook')).json).toMatchObject({ description: 'Webhook was deleted' });
    expect((await send(token, 'getUpdates')).json).toMatchObject({ ok: true, result: [] });
    expect(calls).toEqual([]);
  });

  test('pulls or pushes as its methods say', async () => {
    const other = await api.addBot();
    const program = await addProgram(other);
    const [pulls, pushes] = [
      await newToken({ methods: ['getUpdates'] }, program),
      await newToken({ methods: ['setWebhook'] }, program),
    ];
    const set = 'setWebhook?url=https://93.184.216.34/hook';
    const refused = async ({ token }: { token: string }, method: string) => {
      const { status, json: answer } = await send(token, method);
      return status === 403 ? answer.description : `${status}`;
    };
    expect(await refused(pushes, 'getUpdates')).toBe('Forbidden: this token may not call getUpdates');
    expect(await refused(pulls, set)).toBe('Forbidden: this token may not call setWebhook');
    expect((await send(pulls.token, 'getUpdates')).json).toEqual({ ok: true, result: [] });
    expect((await send(pushes.token, set)).json).toMatchObject({ description: 'Webhook was set' });
    expect(await refused(pulls, 'deleteWebhook')).toMatch(/its program has a backend$/);
    expect((await send(pushes.token, 'deleteWebhook')).json).toMatchObject({ description: 'Webhook was deleted' });
  });

  test('limited to chats or to other methods neither sets nor deletes a webhook', async () => {
    const other = await api.addBot();
    const program = await addProgram(other);
    const [ofChats, ofSends] = [
      await newToken({ chats: [7] }, program),
      await newToken({ methods: ['send'] }, program),
    ];
    const backend = { mode: 'push', backend_url: 'https://93.184.216.34/' };
    await api.admin('POST', '/api/programs/update', { body: { id: program.id, ...backend } });
    for (const { token } of [ofChats, ofSends]) {
      expect((await send(token, 'setWebhook?url=https://93.184.216.34/hook')).status).toBe(403);
      expect((await send(token, 'deleteWebhook')).status).toBe(403);
    }
  });

  test('with chats gets the updates of these chats, and passes over others', async () => {
    const other = await api.addBot();
    const { token } = await newToken({ chats: [7] }, await addProgram(other));
    await worker.directory.refresh();
    const date = Math.floor(Date.now() / 1000);
    const message = (chat: number) => ({ date, chat: { id: chat } });
    const inLine = { id: '1', from: { id: 7 }, query: 'q', chat: undefined };
    const ofBusiness = { ...message(7), business_connection_id: 'x' };
    const accept = async (updates: object[]) => {
      const sliced = sliceUpdates(JSON.stringify({ ok: true, result: updates }))!;
      await acceptUpdates(worker, worker.directory.byId(other.id)!, sliced.updates);
    };
    await accept([
      { update_id: 1, message: message(8) },
      { update_id: 2, inline_query: inLine },
      { update_id: 3, business_message: ofBusiness },
      { update_id: 4, callback_query: { id: '1', from: { id: 7 }, message: message(8) } },
    ]);
    const poll = async (query: string) => {
      const answer = await send(token, `getUpdates?${query}`);
      return (answer.json.result as unknown as { update_id: number }[]).map(({ update_id }) => update_id);
    };
    expect(await poll('offset=0')).toEqual([]);
    const waiting = poll('offset=0&timeout=50&limit=1');
    await accept([
      { update_id: 5, message: message(8) },
      { update_id: 6, message: message(7) },
      { update_id: 7, callback_query: { id: '1', from: { id: 8 }, message: message(7) } },
    ]);
    expect(await waiting).toEqual([6]);
    expect(await poll('offset=0')).toEqual([6, 7]);
  });

  test('that is revoked during a poll gets no updates any more', async () => {
    const other = await api.addBot();
    const made = await newToken({}, await addProgram(other));
    await worker.directory.refresh();
    const polls = () => readMetric(api, 'flotilla_proxy_waiting_polls');
    const waiting = send(made.token, 'getUpdates?timeout=50');
    await waitFor(async () => (await polls()) === 1);
    await api.admin('POST', '/api/programs/tokens/delete', { body: { id: made.id } });
    const raw = `{"update_id":7,"message":{"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5}}}`;
    const { updates } = sliceUpdates(`{"ok":true,"result":[${raw}]}`)!;
    await acceptUpdates(worker, worker.directory.byId(other.id)!, updates);
    expect((await waiting).status).toBe(401);
  });

  test('skips what waits for its program with drop_pending_updates', async () => {
    const other = await api.addBot();
    const { token } = await newToken({}, await addProgram(other));
    await worker.directory.refresh();
    const raw = `{"update_id":7,"message":{"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5}}}`;
    await acceptUpdates(
      worker,
      worker.directory.byId(other.id)!,
      sliceUpdates(`{"ok":true,"result":[${raw}]}`)!.updates,
    );
    expect((await send(token, 'getWebhookInfo')).json.result).toMatchObject({ pending_update_count: 1 });
    await send(token, 'deleteWebhook?drop_pending_updates=1');
    expect((await send(token, 'getWebhookInfo')).json.result).toMatchObject({ pending_update_count: 0 });
  });

  test('is refused when it is revoked, on every replica, and never reaches the platform', async () => {
    const pod = await api.startPod();
    const [made, kept] = [await newToken(), await newToken()];
    for (const url of [api.url, pod.url])
      expect((await send(made.token, 'getChat?chat_id=1', {}, url)).status).toBe(200);
    await restClient(api.url, ADMIN_KEY)('POST', '/api/programs/tokens/delete', { body: { id: made.id } });
    await waitFor(async () => (await send(made.token, 'getChat?chat_id=1', {}, pod.url)).status === 401, {
      timeoutMs: 5000,
    });
    calls.length = 0;
    for (const url of [api.url, pod.url]) {
      expect((await send(made.token, 'getChat?chat_id=1', {}, url)).json).toMatchObject({ ok: false, error_code: 401 });
      expect((await send(kept.token, 'getMe', {}, url)).status).toBe(200);
    }
    expect(calls.map(({ path }) => path)).toEqual(Array(2).fill(`/bot${bot.token}/getMe`));
  });

  test('is refused when it has expired, its program is paused or its bot disabled', async () => {
    const other = await api.addBot();
    const paused = await addProgram(other);
    const { token, id } = await newToken({ expires_at: '2099-01-01T00:00:00Z' }, paused);
    expect((await send(token, 'getMe')).status).toBe(200);
    await api.admin('POST', '/api/programs/toggle', { body: { id: paused.id, enabled: false } });
    expect((await send(token, 'getMe')).json.description).toBe('Forbidden: the program is paused');
    await api.admin('POST', '/api/programs/toggle', { body: { id: paused.id, enabled: true } });
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: other.id } });
    expect((await send(token, 'getMe')).status).toBe(403);
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: other.id } });
    await api.database.db
      .updateTable('program_tokens')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', id)
      .execute();
    await api.admin('POST', '/api/programs/update', { body: { id: paused.id, name: 'renewed' } });
    expect((await send(token, 'getMe')).status).toBe(401);
  });

  test('over its rate is answered 429 with the time to wait, and the platform is not asked', async () => {
    const { token } = await newToken({ rate: { per_minute: 2 } });
    const answers = [];
    // Four pass where a minute begins between them.
    do answers.push(await send(token, 'getMe'));
    while (answers.at(-1)!.status === 200 && answers.length < 5);
    expect([3, 5]).toContain(answers.length);
    expect(answers.at(-1)).toMatchObject({ status: 429, json: { parameters: { retry_after: expect.any(Number) } } });
    expect(calls).toHaveLength(answers.length - 1);
  });

  test('gets no file that it was not given, and no path that does not name its method plainly', async () => {
    const { token } = await newToken();
    const unknown = `${token.split(':')[0]}:fv${'A'.repeat(33)}`;
    const paths = [
      `file/bot${token}/a.jpg`,
      `bot${token}/`,
      `bot${token}/getMe%2f`,
      `bot${token}/get%4De/x`,
      `bot${token}%2Fx/getMe`,
    ];
    for (const path of [...paths, `bot${unknown}/getMe`, `file/bot${unknown}/a.jpg`]) {
      const { status } = await fetch(`${api.url}/tgapi/${path}`, { headers: { 'x-test': '1' } });
      expect({ path, refused: status >= 400 && status < 500 }).toEqual({ path, refused: true });
    }
    await fetch(`${api.url}/tgapi/bot${token}/`, json({ method: 'sendMessage', chat_id: 5 }));
    expect(calls).toEqual([]);
  });

  test('records when it was last used', async () => {
    const { token, id } = await newToken();
    await send(token, 'getMe');
    await waitFor(async () => {
      const list = await api.admin('GET', '/api/programs/tokens', { query: { program_id: program.id } });
      return (list.json as ProgramTokenResource[]).find((one) => one.id === id)?.last_used_at !== undefined;
    });
  });
});

describe('the methods of a token', () => {
  const known = Object.keys(METHODS).map((name) => name.toLowerCase());
  const always = ['getme', 'getwebhookinfo', 'setwebhook', 'deletewebhook', 'logout', 'close'];

  test.each(METHOD_GROUPS)(
    'of the group %s reach the platform, and no others do',
    async (group) => {
      const { token } = await newToken({ methods: [group] });
      const tried = [...known.filter((method) => method !== 'getupdates'), 'somethingnew', 'sendsomethingnew'];
      const allowed = tried.filter((method) => always.includes(method) || groupOfMethod(method) === group);
      const answers: [string, number][] = [];
      for (const method of tried) answers.push([method, (await send(token, method)).status]);
      expect(answers.filter(([, status]) => status !== 403).map(([method]) => method)).toEqual(allowed);
      expect(answers.every(([, status]) => status === 200 || status === 403)).toBe(true);
      // getFile is asked for by us, without the header that marks calls of the tests.
      const passed = allowed.filter(
        (method) => method !== 'getfile' && (!always.includes(method) || method === 'getme'),
      );
      expect(calls.map(({ path }) => path.split('/').at(-1)!.split('?')[0])).toEqual(passed);
    },
    60_000,
  );

  test('are named in any case, and compared in any case', async () => {
    const { token } = await newToken({ methods: ['SENDMESSAGE'] });
    expect((await send(token, 'sendMESSAGE?chat_id=1')).status).toBe(200);
    expect((await send(token, 'SendPhoto?chat_id=1')).json.description).toBe(
      'Forbidden: this token may not call sendPhoto',
    );
    expect((await send(token, 'getUpdates')).status).toBe(403);
    const refused = await api.admin('POST', '/api/programs/tokens/add', {
      body: { program_id: program.id, name: 'x', methods: ['send_nonsense'] },
    });
    expect(refused).toMatchObject({ status: 400, json: { details: [{ path: 'methods' }] } });
  });
});

describe('the chats of a token', () => {
  const MINE = -1001;
  const OTHER = -1002;
  let token: string;
  beforeAll(async () => {
    token = (await newToken({ chats: [MINE, 7] }, await addProgram(bot))).token;
  });

  test('leave getMe allowed, with which client libraries begin', async () => {
    expect((await send(token, 'getMe')).status).toBe(200);
    expect(calls.map(({ path }) => path)).toEqual([`/bot${bot.token}/getMe`]);
  });

  test.each<[string, string, RequestInit, object?]>([
    ['in the query string', `sendMessage?chat_id=${MINE}&text=a`, {}, { text: 'a' }],
    ['in JSON', 'sendMessage', json({ chat_id: MINE, text: 'a' })],
    ['as JSON text', 'sendMessage', json({ chat_id: `${MINE}` })],
    ['with an escaped name', 'sendMessage', json(`{"chat\\u005fid":${MINE}}`)],
    ['urlencoded', 'sendMessage', urlencoded(`text=a+b&chat_id=${MINE}`)],
    ['in a form without files', 'sendMessage', form(part('chat_id', `${MINE}`), part('text', 'a'))],
    [
      'in a form before its file',
      'sendPhoto',
      form(part('chat_id', `${MINE}`), photo(3_000_000), part('caption', 'c')),
      { photo: { file: 3_000_000 }, caption: 'c' },
    ],
    [
      'in a form whose file has an unquoted name with spaces',
      'sendPhoto',
      form(part('chat_id', `${MINE}`), part('photo', 'x', ';filename=a report, für dich.bin')),
      { photo: { file: 1 } },
    ],
    ['with a reply to the same chat', 'sendMessage', json({ chat_id: MINE, reply_parameters: { message_id: 5 } })],
    [
      'with a reply to another of its chats',
      'sendMessage',
      json(
        `{"chat_id":${MINE},"reply_parameters":{"message_id":5,"chat_id":"7","quote":"a\\nb","quote_position":9007199254740993}}`,
      ),
      { reply_parameters: '{"message_id":5,"chat_id":"7","quote":"a\\nb","quote_position":9007199254740993}' },
    ],
    ['copied from one of its chats', 'copyMessage', json({ chat_id: MINE, from_chat_id: 7, message_id: 1 })],
  ])('are found %s', async (_name, path, init, wanted = {}) => {
    const answer = await send(token, path, init);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: expect.any(String) });
    expect(calls).toHaveLength(1);
    expect(namedIn(calls[0]!)).toMatchObject({ chat_id: `${MINE}`, ...wanted });
  });

  const reply = JSON.stringify({ message_id: 1, chat_id: OTHER });
  test.each<[string, string, RequestInit, string?]>([
    ['no chat', 'sendMessage', json({ text: 'a' })],
    ['another chat in the query string', `sendMessage?chat_id=${OTHER}`, {}],
    ['another chat in JSON', 'sendMessage', json({ chat_id: OTHER })],
    ['another chat after one of its own', 'sendMessage', json(`{"chat_id":${MINE},"chat_id":${OTHER}}`)],
    ['another chat before one of its own', 'sendMessage', json(`{"chat_id":${OTHER},"chat_id":${MINE}}`)],
    ['another chat in the body', `sendMessage?chat_id=${MINE}`, json({ chat_id: OTHER })],
    ['another chat urlencoded twice over', 'sendMessage', urlencoded(`chat_id=${MINE}&chat_id=${OTHER}`)],
    ['a chat that is encoded twice', 'sendMessage', urlencoded(`chat_id=%252d1001`)],
    ['a chat with a sign or spaces', 'sendMessage', json({ chat_id: ' 7' })],
    ['a chat with junk behind it', 'sendMessage', json({ chat_id: '7x' })],
    ['a number that is no integer', 'sendMessage', json('{"chat_id":7.0}')],
    ['the name of a chat', 'sendMessage', json({ chat_id: '@somewhere' })],
    ['an array of chats', 'sendMessage', json({ chat_id: [7] })],
    ['its chat after the file', 'sendPhoto', form(photo(), part('chat_id', `${MINE}`))],
    ['its chat as a file', 'sendPhoto', form(part('chat_id', `${MINE}`, '; filename="c"'), photo())],
    ['malformed JSON', 'sendMessage', json(`{"chat_id":${MINE},`)],
    [
      'JSON in a body of another type',
      'sendMessage',
      { ...json({ chat_id: MINE }), headers: { 'content-type': 'text/plain' } },
    ],
    [
      'a type that is two types',
      'sendMessage',
      { ...json({ chat_id: MINE }), headers: { 'content-type': 'application/json; multipart/form-data' } },
    ],
    [
      'a compressed body',
      'sendMessage',
      { ...json({ chat_id: MINE }), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
    ],
    ['a business connection', 'sendMessage', json({ chat_id: MINE, business_connection_id: 'x' })],
    ['an inline message', 'editMessageText', json({ chat_id: MINE, inline_message_id: 'x' })],
    ['a source that is another chat', 'forwardMessage', json({ chat_id: MINE, from_chat_id: OTHER, message_id: 1 })],
    ['no source', 'copyMessage', json({ chat_id: MINE, message_id: 1 })],
    ['a reply to another chat', 'sendMessage', json({ chat_id: MINE, reply_parameters: JSON.parse(reply) })],
    [
      'such a reply as text',
      'sendMessage',
      urlencoded(`chat_id=${MINE}&reply_parameters=${encodeURIComponent(reply)}`),
    ],
    [
      'a reply with two chats',
      'sendMessage',
      json(`{"chat_id":${MINE},"reply_parameters":{"chat_id":7,"chat_id":${OTHER}}}`),
    ],
    [
      'such a reply after the file',
      'sendPhoto',
      form(part('chat_id', `${MINE}`), photo(), part('reply_parameters', reply)),
    ],
    [
      'such a reply after a large file',
      'sendPhoto',
      form(part('chat_id', `${MINE}`), photo(3_000_000), part('reply_parameters', reply)),
    ],
    [
      'a form that has two boundaries',
      'sendPhoto',
      {
        ...form(part('chat_id', `${MINE}`)),
        headers: { 'content-type': 'multipart/form-data; xboundary=a; boundary=b' },
      },
    ],
    ['a method without a chat', 'answerCallbackQuery', json({ callback_query_id: '1' })],
    ['a method of another place', 'sendGift', json({ chat_id: MINE, user_id: 5 })],
    ['a method that nobody knows', 'sendSomethingNew', json({ chat_id: MINE })],
    [
      'the chat of a press, of which it names nothing else',
      'sendMessage',
      json({ text: 'a', ephemeral_message_parameters: { callback_query_id: '1' } }),
      'nobody knows in which chat the press was',
    ],
  ])('refuse a call with %s', async (_name, path, init, why = '') => {
    const answer = await send(token, path, init);
    expect(answer.json).toMatchObject({ ok: false, error_code: 403 });
    expect(answer.json.description).toMatch(/^Forbidden: this token may not call \w+/);
    expect(answer.json.description).toContain(why);
    expect(calls).toEqual([]);
  });

  const ofMine = part('chat_id', `${MINE}`);
  const escaped = String.raw`{"message_id":1,"\chat_id":${OTHER}}`;
  const asForm = '\r\nContent-Type: application/x-www-form-urlencoded';
  const nested = `reply_parameters=${encodeURIComponent(reply)}`;
  test.each<[string, string, RequestInit]>([
    ['escapes that JSON does not know', 'sendMessage', json({ chat_id: MINE, reply_parameters: escaped })],
    ['the same in JSON', 'sendMessage', json(`{"chat_id":${MINE},"reply_parameters":${escaped}}`)],
    ['the same before its own', 'sendMessage', json(String.raw`{"\chat_id":${OTHER},"chat_id":${MINE}}`)],
    ['the same for the reply', 'sendMessage', json(String.raw`{"chat_id":${MINE},"reply\_parameters":${reply}}`)],
    [
      'the same urlencoded',
      'sendMessage',
      urlencoded(`chat_id=${MINE}&reply_parameters=${encodeURIComponent(escaped)}`),
    ],
    ['the same in the query string', `sendMessage?chat_id=${MINE}&reply_parameters=${encodeURIComponent(escaped)}`, {}],
    ['the same in a form', 'sendMessage', form(ofMine, part('reply_parameters', escaped))],
    ['the same after a file', 'sendPhoto', form(ofMine, photo(), part('reply_parameters', escaped))],
    ['a part that is a form', 'sendMessage', form(ofMine, part('x', nested, asForm))],
    ['such a part with the name of a parameter', 'sendMessage', form(ofMine, part('text', nested, asForm))],
    ['such a part before its own chat', 'sendMessage', form(part('text', `chat_id=${OTHER}`, asForm), ofMine)],
    ['such a part after a file', 'sendPhoto', form(ofMine, photo(), part('caption', nested, asForm))],
    ['such a part after a large file', 'sendPhoto', form(ofMine, photo(3_000_000), part('caption', nested, asForm))],
    ...[
      part('caption', reply, '; name="reply_parameters"'),
      part('caption', reply, '\r\nContent-Disposition: form-data; name="reply_parameters"'),
      part('caption', reply, '; filename=a name=reply_parameters'),
      part('caption', reply, '; filename=a b; name=reply_parameters'),
      part('caption\\"; name="reply_parameters', reply),
      part('reply%5fparameters', reply),
      part('reply_parameters', `${' '.repeat(70_000)}${reply}`),
      part('caption', 'c', `\r\nX-Long: ${'x'.repeat(20_000)}`) + part('reply_parameters', reply),
    ].flatMap((hidden, at): [string, string, RequestInit][] => [
      [`a hidden reply (${at})`, 'sendPhoto', form(ofMine, hidden)],
      [`a hidden reply (${at}) after the file`, 'sendPhoto', form(ofMine, photo(), hidden)],
    ]),
    ['text before the form', 'sendPhoto', form(`x${part('reply_parameters', reply)}`, ofMine)],
    [
      'a reply whose chat is a number with an exponent',
      'sendMessage',
      json(`{"chat_id":7,"reply_parameters":{"chat_id":7e0}}`),
    ],
    [
      'a field that nobody knows in a reply',
      'sendMessage',
      json({ chat_id: 7, reply_parameters: { message_id: 1, peer: OTHER } }),
    ],
    ['a parameter that nobody knows', 'sendMessage', json({ chat_id: 7, peer_id: OTHER })],
  ])('are not left by %s, however another parser reads it', async (_name, path, init) => {
    const { status } = await send(token, path, init);
    if (status !== 200) {
      expect([400, 403]).toContain(status);
      expect(calls).toEqual([]);
      return;
    }
    // What went on was read in one way, so nothing in it but a text has the other chat.
    const { text: _, caption: __, x: ___, ...others } = namedIn(calls[0]!);
    expect(JSON.stringify(others)).not.toContain(`${OTHER}`);
    expect(others.chat_id).toBe(`${MINE}`);
  });

  test('refuse a call with two types', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { 'Content-Type': ['application/json', 'multipart/form-data; boundary=b'], 'x-test': '1' };
      const call = request(`${api.url}/tgapi/bot${token}/sendMessage`, { method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      call.on('error', reject);
      call.end(JSON.stringify({ chat_id: MINE }));
    });
    expect(status).toBe(403);
    expect(calls).toEqual([]);
  });

  test('refuse parameters of more than 1 MiB', async () => {
    const text = 'x'.repeat(1024 * 1024 + 1);
    for (const init of [json({ chat_id: MINE, text }), form(part('chat_id', `${MINE}`), part('text', text))]) {
      expect((await send(token, 'sendMessage', init)).status).toBe(413);
    }
    expect(calls).toEqual([]);
  });
});

test('a token outlives its creator, and the audit log says so when the account loses the bot or is deleted', async () => {
  const [mine, other] = [await api.addBot(), await api.addBot()];
  const creator = await insertAccount(api.database.db, { username: 'creator', bots: [mine.id, other.id] });
  const asMaker = restClient(api.url, creator.key);
  const made = async (of: BotResource) => {
    const body = { program_id: (await addProgram(of)).id, name: 'made' };
    return (await asMaker('POST', '/api/programs/tokens/add', { body })).json as { id: number; token: string };
  };
  const [first, second] = [await made(mine), await made(other)];
  const newest = async () => {
    const log = await api.admin('GET', '/api/adminlog', { query: { limit: 1 } });
    return (log.json as { action: string; details?: string }[])[0];
  };
  await api.admin('POST', '/api/auth/users/update', { body: { id: creator.id, bot_ids: [other.id] } });
  expect((await newest())?.details).toMatch(new RegExp(`; its tokens of programs stay: ${first.id}$`));
  await api.admin('POST', '/api/auth/users/delete', { body: { id: creator.id } });
  expect(await newest()).toMatchObject({
    action: 'account_delete',
    details: `its tokens of programs stay: ${first.id}, ${second.id}`,
  });
  await waitFor(async () => (await asMaker('GET', '/api/bots')).status === 401, { timeoutMs: 30_000 });
  for (const { token } of [first, second]) expect((await send(token, 'getMe')).status).toBe(200);
});
