import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramRefusalResource } from '@flotilla/contract/program-refusals.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { programKeys } from '@flotilla/redis/keys.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

/** Requests for files, as the platform got them. */
const downloads: string[] = [];
/** Knows each file that is not `gone`, and serves every path. */
const platform = createServer(async (req, res) => {
  const [, files, token = ''] = /^\/(file\/)?bot([^/]+)\//.exec(req.url ?? '') ?? [];
  if (files !== undefined) {
    downloads.push(req.url ?? '');
    if (req.url?.endsWith('own.txt')) {
      res.statusCode = req.headers.range === undefined ? 200 : 206;
      res.setHeader('Content-Encoding', 'x-as-stored').end(`${req.headers.range} of ${token}`);
      return;
    }
    if (req.url?.endsWith('lost.txt')) {
      res.statusCode = 404;
      res.end(`no file at ${req.url}`);
      return;
    }
    res.setHeader('Content-Type', 'application/octet-stream').end(`the bytes of ${req.url?.split('/').at(-1)}`);
    return;
  }
  let body = '';
  for await (const chunk of req) body += chunk;
  const { file_id: id } = body.startsWith('{') ? JSON.parse(body) : {};
  if (id === 'gone') {
    res.statusCode = 400;
    res.end(JSON.stringify({ ok: false, error_code: 400, description: 'Bad Request: wrong file_id' }));
    return;
  }
  const path = id === 'local' ? `/var/${token}/a.jpg` : `documents/a report ${id}.txt`;
  const me = { id: Number(token.split(':')[0]), is_bot: true, first_name: 'Bot', username: 'a_bot' };
  res.end(JSON.stringify({ ok: true, result: { ...me, file_id: id, file_path: path } }));
});

let api: TestApi;
let redis: RedisHandles;
let bot: BotResource;

beforeAll(async () => {
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  api = await startTestApi({ TELEGRAM_API_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}` });
  redis = await connectRedis({ url: api.env.REDIS_URL!, log: { warn: () => {} } });
  bot = await api.addBot({ long_poll_enabled: true });
}, 60_000);
afterAll(async () => {
  await redis.close();
  await api?.stop();
  platform.closeAllConnections();
  await new Promise((resolve) => platform.close(resolve));
});
beforeEach(() => {
  downloads.length = 0;
});

let made = 0;
/** A token of a new program. */
async function newToken(limits: object = {}): Promise<{ id: number; programId: number; token: string }> {
  made += 1;
  const program = await api.admin('POST', '/api/programs/add', { body: { bot_id: bot.id, name: `program ${made}` } });
  const { id: programId } = program.json as { id: number };
  const body = { program_id: programId, name: 'own', ...limits };
  const { json } = await api.admin('POST', '/api/programs/tokens/add', { body });
  return { ...(json as { id: number; token: string }), programId };
}
type Answer = { status: number; text: string };
async function get(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${api.url}/tgapi${path}`, init);
  return { status: response.status, text: await response.text() };
}
const getFile = (token: string, id: string) => get(`/bot${token}/getFile?file_id=${id}`);
const download = (token: string, path: string, init?: RequestInit) => get(`/file/bot${token}/${path}`, init);

describe('a file of the bot', () => {
  test('is served to the program that was given its path, and to no other one', async () => {
    const [one, other] = [await newToken(), await newToken()];
    expect(await getFile(one.token, '1')).toMatchObject({ status: 200 });
    const path = 'documents/a%20report%201.txt';
    expect(await download(one.token, path)).toEqual({ status: 200, text: 'the bytes of a%20report%201.txt' });
    expect(downloads).toEqual([`/file/bot${bot.token}/${path}`]);
    expect(await download(other.token, path)).toMatchObject({ status: 403 });
    expect(await download(one.token, 'documents/a%20report%202.txt')).toMatchObject({ status: 403 });
    expect(await download(one.token, path, { method: 'POST', body: 'a' })).toMatchObject({ status: 403 });
    expect(downloads).toHaveLength(1);
  });

  test('keeps its bytes, its coding and its ranges, as what people sent', async () => {
    const { token } = await newToken();
    await getFile(token, 'own');
    const path = 'documents/a%20report%20own.txt';
    expect(await download(token, path)).toEqual({ status: 200, text: `undefined of ${bot.token}` });
    const headers = { Range: 'bytes=5-9' };
    expect(await download(token, path, { headers })).toEqual({ status: 206, text: `bytes=5-9 of ${bot.token}` });
  });

  test("shows no token in an error of the platform's in its place", async () => {
    const { token } = await newToken();
    await getFile(token, 'lost');
    const path = 'documents/a%20report%20lost.txt';
    expect(await download(token, path)).toEqual({ status: 404, text: `no file at /file/bot${token}/${path}` });
  });

  test('is served for an hour', async () => {
    const { token, programId } = await newToken();
    await getFile(token, '1');
    const { files } = programKeys(bot.id, programId);
    const path = 'documents/a report 1.txt';
    expect(await redis.commands.pttl(files)).toBeGreaterThan(3_500_000);
    await redis.commands.zadd(files, Date.now() - 3_600_001, path);
    expect(await download(token, path)).toMatchObject({ status: 403 });
  });

  test('is not served to a token that may not call getFile, and its refusal is kept', async () => {
    const { token, id, programId } = await newToken({ methods: ['send'] });
    const path = 'documents/a.txt';
    await redis.commands.zadd(programKeys(bot.id, programId).files, Date.now(), path);
    expect(await download(token, path)).toMatchObject({ status: 403 });
    await waitFor(async () => {
      const { json } = await api.admin('GET', '/api/programs/refusals', { query: { id: programId } });
      return (json as ProgramRefusalResource[]).some((one) => one.token_id === id && one.reason === 'method');
    });
  });

  test('is not served when the token is limited to chats, because a file does not tell its chat', async () => {
    const { token, programId } = await newToken({ chats: [5] });
    expect(await getFile(token, '1')).toMatchObject({ status: 403 });
    const body = { program_id: programId, name: 'of all chats', methods: ['files'] };
    const whole = await api.admin('POST', '/api/programs/tokens/add', { body });
    await getFile((whole.json as { token: string }).token, '1');
    expect(await download(token, 'documents/a%20report%201.txt')).toMatchObject({ status: 403 });
    expect(await download((whole.json as { token: string }).token, 'documents/a%20report%201.txt')).toMatchObject({
      status: 200,
    });
    expect(downloads).toHaveLength(1);
  });

  test('is not served once the token is revoked, or while the program is paused', async () => {
    const { token, id, programId } = await newToken();
    await getFile(token, '1');
    const path = 'documents/a%20report%201.txt';
    await api.admin('POST', '/api/programs/toggle', { body: { id: programId, enabled: false } });
    await waitFor(async () => (await download(token, path)).status === 403);
    await api.admin('POST', '/api/programs/toggle', { body: { id: programId, enabled: true } });
    await waitFor(async () => (await download(token, path)).status === 200);
    await api.admin('POST', '/api/programs/tokens/delete', { body: { id } });
    await waitFor(async () => (await download(token, path)).status === 401);
  });

  test('that the platform does not know, or keeps on its own disk, has no path to download, and shows no token', async () => {
    const { token, programId } = await newToken();
    expect(await getFile(token, 'gone')).toEqual({
      status: 400,
      text: '{"ok":false,"error_code":400,"description":"Bad Request: wrong file_id"}',
    });
    const local = await getFile(token, 'local');
    expect(local).toMatchObject({ status: 200 });
    expect(local.text).toContain('/a.jpg');
    expect(local.text).not.toContain(bot.token.split(':')[1]);
    expect(await redis.commands.zcard(programKeys(bot.id, programId).files)).toBe(0);
  });

  test('of which a program was given more than 10,000 paths in an hour must be asked for again', async () => {
    const { token, programId } = await newToken();
    const { files } = programKeys(bot.id, programId);
    const nowMs = Date.now();
    const older = Array.from({ length: 10_000 }, (_, at) => [nowMs - 10_000 + at, `documents/${at}.txt`]);
    await redis.commands.zadd(files, ...older.flat());
    await getFile(token, '1');
    expect(await redis.commands.zcard(files)).toBe(10_000);
    expect(await download(token, 'documents/0.txt')).toMatchObject({ status: 403 });
    expect(await download(token, 'documents/1.txt')).toMatchObject({ status: 200 });
  });
});
