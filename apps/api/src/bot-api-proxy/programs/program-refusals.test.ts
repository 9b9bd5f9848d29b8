import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramRefusalResource } from '@flotilla/contract/program-refusals.ts';
import type { ProgramTokenResource } from '@flotilla/contract/program-tokens.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const api = testApi();
let redis: RedisHandles;
let bot: BotResource;
let programs = 0;

beforeAll(async () => {
  redis = await connectRedis({ url: api.redis.url, log: { warn: () => undefined } });
  api.endBefore(() => redis.close());
  bot = await api.addBot({ long_poll_enabled: true });
});

type Token = ProgramTokenResource & { token: string };

async function newProgram(): Promise<number> {
  programs += 1;
  const body = { bot_id: bot.id, name: `program ${programs}` };
  return ((await api.admin('POST', '/api/programs/add', { body })).json as { id: number }).id;
}

async function newToken(programId: number, limits: object): Promise<Token> {
  const body = { program_id: programId, name: 'agency', ...limits };
  return (await api.admin('POST', '/api/programs/tokens/add', { body })).json as Token;
}

const call = async ({ token }: Token, method: string, init: RequestInit = {}) =>
  (await fetch(`${api.url}/tgapi/bot${token}/${method}`, init)).status;

const json = (fields: object): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(fields),
  headers: { 'content-type': 'application/json' },
});

const refusalsOf = async (id: number) =>
  (await api.admin('GET', '/api/programs/refusals', { query: { id } })).json as ProgramRefusalResource[];

/** The refusals once there are so many. */
const untilThere = async (id: number, count: number) =>
  (await waitFor(
    async () => {
      const found = await refusalsOf(id);
      return found.length === count ? found : null;
    },
    { timeoutMs: 30_000 },
  ))!;

describe('what the tokens of a program were refused', () => {
  test('is listed with its reason, newest first, without any parameter but the chat', async () => {
    const id = await newProgram();
    const token = await newToken(id, { methods: ['send'], chats: [5], rate: { per_minute: 5 } });
    expect(await call(token, 'banChatMember?chat_id=5&user_id=77')).toBe(403);
    const first = await untilThere(id, 1);
    expect(first).toEqual([
      {
        at: expect.any(String),
        token_id: token.id,
        token_name: 'agency',
        method: 'banchatmember',
        reason: 'method',
        description: 'Forbidden: this token may not call banChatMember',
      },
    ]);
    expect(Math.abs(Date.now() - Date.parse(first[0]!.at))).toBeLessThan(60_000);
    expect(await call(token, 'sendMessage', json({ chat_id: 6, text: 'a secret text' }))).toBe(403);
    expect((await untilThere(id, 2))[0]).toMatchObject({ method: 'sendmessage', reason: 'chat', chat_id: 6 });
    expect(await call(token, 'sendMessage', json({ chat_id: '@a_secret_name', text: 'x' }))).toBe(403);
    expect(await call(token, 'getUpdates', json({}))).toBe(403);
    expect(await call(token, 'setWebhook?url=https://a-secret.example')).toBe(403);
    expect(await call(token, 'sendMessage?a_secret', { method: 'POST', body: '{' })).toBe(403);
    expect(await call(token, 'sendMessage', json({ chat_id: 6, text: 'x' }))).toBe(403);
    // Not at once where a minute began between two of these calls.
    await waitFor(async () => (await call(token, 'sendMessage', json({ chat_id: 5, text: 'x' }))) === 429);
    const all = await waitFor(async () => {
      const found = await refusalsOf(id);
      return found[0]?.reason === 'rate' ? found : null;
    });
    expect(all!.map(({ method, reason, chat_id }) => [method, reason, chat_id ?? null])).toEqual([
      ['sendmessage', 'rate', null],
      ['sendmessage', 'chat', 6],
      ['sendmessage', 'chat', null],
      ['setwebhook', 'method', null],
      ['getupdates', 'method', null],
      ['sendmessage', 'chat', null],
      ['banchatmember', 'method', null],
    ]);
    // Times have digits of their own.
    expect(JSON.stringify(all!.map(({ at: _at, ...told }) => told))).not.toMatch(/secret|77/);
  });

  test('also by a form that names another chat after its file, by a pause, and by an expired token', async () => {
    const id = await newProgram();
    const token = await newToken(id, { chats: [5] });
    const part = (name: string, value: string, more = '') =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
    const body = `${part('chat_id', '5')}${part('photo', 'x', '; filename="p.jpg"')}${part('reply_parameters', '{"message_id":1,"chat_id":6}')}--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    expect(await call(token, 'sendPhoto', { method: 'POST', body, headers })).toBe(403);
    expect((await untilThere(id, 1))[0]).toMatchObject({ method: 'sendphoto', reason: 'chat' });
    // The rest of a refused form is read, so that a client which sends all of it first sees the answer.
    const file = Buffer.alloc(20_000_000, 'x');
    const long = Buffer.concat([
      Buffer.from(part('chat_id', '6')),
      Buffer.from('--b\r\nContent-Disposition: form-data; name="photo"; filename="p.jpg"\r\n\r\n'),
      file,
      Buffer.from('\r\n--b--\r\n'),
    ]);
    expect(await call(token, 'sendPhoto', { method: 'POST', body: long, headers })).toBe(403);
    const short = await newToken(id, { chats: [5], expires_at: new Date(Date.now() + 2000).toISOString() });
    await waitFor(async () => (await call(short, 'getMe')) === 401, { timeoutMs: 30_000 });
    expect((await untilThere(id, 3))[0]).toMatchObject({ token_id: short.id, method: 'getme', reason: 'expired' });
    const whole = await newToken(id, { methods: ['files'] });
    const download = await fetch(`${api.url}/tgapi/file/bot${whole.token}/photos/a_secret.jpg`);
    expect(download.status).toBe(403);
    const [ofFile] = await untilThere(id, 4);
    expect(ofFile).toMatchObject({ reason: 'file', description: expect.stringContaining('only after getFile') });
    expect(ofFile).not.toHaveProperty('method');
    await api.admin('POST', '/api/programs/toggle', { body: { id, enabled: false } });
    await waitFor(async () => (await call(token, 'getMe')) === 403, { timeoutMs: 30_000 });
    expect((await untilThere(id, 5))[0]).toMatchObject({ method: 'getme', reason: 'paused' });
    await api.admin('POST', '/api/programs/tokens/delete', { body: { id: short.id } });
    expect((await refusalsOf(id))[2]).not.toHaveProperty('token_name');
  });

  test('also by more parameters than are read, in whatever form, because another chat could be named behind them', async () => {
    const part = (name: string, value: string, more = '') =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
    const [pairs, parts] = ['text=x&'.repeat(1000), part('text', 'x').repeat(1000)];
    // So long that what follows is read after the call was judged.
    const file = part('photo', 'x'.repeat(500_000), '; filename="p.jpg"');
    const form = 'application/x-www-form-urlencoded';
    const bodies: [type: string, body: string][] = [
      [form, `${pairs}chat_id=5`],
      ['application/json', `{${'"text":"x",'.repeat(1000)}"chat_id":5}`],
      ['multipart/form-data; boundary=b', `${parts}${part('chat_id', '5')}--b--\r\n`],
      ['multipart/form-data; boundary=b', `${part('chat_id', '5')}${file}${parts}--b--\r\n`],
      [
        'multipart/form-data; boundary=b',
        `${part('chat_id', '5')}${file}${part('x', pairs, `\r\nContent-Type: ${form}`)}--b--\r\n`,
      ],
    ];
    const calls: [query: string, init: RequestInit][] = [
      [`?${pairs}chat_id=5`, {}],
      ...bodies.map(([type, body]): [string, RequestInit] => [
        '',
        { method: 'POST', body, headers: { 'content-type': type } },
      ]),
    ];
    for (const [query, init] of calls) {
      const id = await newProgram();
      const token = await newToken(id, { chats: [5] });
      expect(await call(token, `sendPhoto${query}`, init)).toBe(403);
      const description = 'Forbidden: this token may not call sendPhoto: it has too many parameters';
      expect((await untilThere(id, 1))[0]).toMatchObject({ method: 'sendphoto', reason: 'chat', description });
    }
  });

  test('is at most the newest 20, written once a second, and the same again takes no other place', async () => {
    const id = await newProgram();
    const token = await newToken(id, { chats: [5] });
    const zadds = async () => {
      const stats = await Promise.all(redis.servers().map((server) => server.info('commandstats')));
      return stats.reduce((sum, text) => sum + Number(/cmdstat_zadd:calls=(\d+)/.exec(text)?.[1] ?? 0), 0);
    };
    await call(token, 'getChat?chat_id=6');
    await untilThere(id, 1);
    const [before, begunAtMs] = [await zadds(), performance.now()];
    for (let at = 0; at < 200; at++) await call(token, 'getChat?chat_id=7');
    await waitFor(async () => (await zadds()) > before);
    const seconds = (performance.now() - begunAtMs) / 1000;
    expect((await zadds()) - before).toBeLessThanOrEqual(seconds + 1);
    expect((await untilThere(id, 2)).map(({ chat_id }) => chat_id)).toEqual([7, 6]);
    for (let chat = 100; chat < 130; chat++) await call(token, `getChat?chat_id=${chat}`);
    const newest = Array.from({ length: 20 }, (_, at) => 129 - at);
    await waitFor(async () => (await refusalsOf(id))[0]?.chat_id === 129, { timeoutMs: 30_000 });
    expect((await refusalsOf(id)).map(({ chat_id }) => chat_id)).toEqual(newest);
    const key = botKeys(bot.id).programRefusals(id);
    expect(await redis.commands.zcard(key)).toBe(20);
    expect(await redis.commands.pttl(key)).toBeGreaterThan(0);
  });

  test('is told to the caller at once, though Redis takes no writes', async () => {
    const id = await newProgram();
    const token = await newToken(id, { chats: [5] });
    await call(token, 'getChat?chat_id=6');
    await untilThere(id, 1);
    await Promise.all(redis.servers().map((server) => server.client('PAUSE', 600_000, 'WRITE')));
    try {
      expect(await call(token, 'getChat?chat_id=7')).toBe(403);
      expect(await redis.commands.zcard(botKeys(bot.id).programRefusals(id))).toBe(1);
    } finally {
      await Promise.all(redis.servers().map((server) => server.client('UNPAUSE')));
    }
  });

  test('goes with the bot, and is nothing to users who do not have it', async () => {
    const other = await api.addBot();
    const body = { bot_id: other.id, name: 'elsewhere' };
    const { id } = (await api.admin('POST', '/api/programs/add', { body })).json as { id: number };
    const token = await newToken(id, { chats: [5] });
    await call(token, 'getChat?chat_id=6');
    await untilThere(id, 1);
    const { key } = await insertAccount(api.database.db, { username: 'elsewhere', bots: [bot.id] });
    const answer = await restClient(api.url, key)('GET', '/api/programs/refusals', { query: { id } });
    expect(answer).toMatchObject({ status: 403 });
    await api.admin('POST', '/api/bots/delete', { body: { id: other.id } });
    expect(await redis.commands.exists(botKeys(other.id).programRefusals(id))).toBe(0);
  });
});
