import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const NOBODY = 'http://127.0.0.1:9/';

const api = testApi();
let redis: RedisHandles;
let bots: TestBackend;
let programs: TestBackend;
let bot: BotResource;
let program: ProgramResource;
let stranger: RestClient;

beforeAll(async () => {
  redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
  api.endBefore(() => redis.close());
  [bots, programs] = await Promise.all([startBackend(), startBackend()]);
  for (const backend of [bots, programs]) api.endBefore(() => backend.stop());
  stranger = restClient(api.url, (await insertAccount(api.database.db, { username: 'stranger', bots: [] })).key);
});
beforeEach(async () => {
  bot = await api.addBot({ proxy_enabled: true, backend_url: bots.url, secret_token: 'the-bots-own' });
  program = await add({ mode: 'push', backend_url: `${programs.url}/hook?key=hidden`, secret_token: 'of-the-program' });
});

async function add(fields: object): Promise<ProgramResource> {
  const added = await api.admin('POST', '/api/programs/add', {
    body: { bot_id: bot.id, name: JSON.stringify(fields).slice(0, 60), ...fields },
  });
  expect(added.status).toBe(200);
  return added.json as ProgramResource;
}
const post = (path: string, body: object, client = api.admin) => client('POST', `/api/programs/${path}`, { body });
const audited = async (action: string) =>
  (await api.admin('GET', '/api/adminlog', { query: { action, bot_id: bot.id } })).json as object[];

describe('resuming the backend of a program', () => {
  const openBreaker = { failingSince: 1, probeIntervalMs: 60_000, openUntil: Date.now() + 600_000 };
  const resume = (id: number, client = api.admin) => post('resume-backend', { id }, client);
  const openUntil = (key: string) => redis.commands.hget(key, 'openUntil').then(Number);

  test('makes its next probe due, leaves the backend of the bot alone, and is audited', async () => {
    const own = programKeys(bot.id, program.id).state;
    for (const key of [own, botKeys(bot.id).state]) await redis.commands.hset(key, openBreaker);
    expect(await resume(program.id)).toMatchObject({ status: 200, json: { ok: true } });
    expect(await resume(program.id)).toMatchObject({ status: 429, json: { code: 'too_many_requests' } });
    expect(await openUntil(own)).toBeLessThanOrEqual(Date.now());
    expect(await openUntil(botKeys(bot.id).state)).toBe(openBreaker.openUntil);
    expect(await audited('backend_resume')).toMatchObject([{ bot_id: bot.id, details: `program ${program.id}` }]);
  });

  test('is refused for one that pulls or is paused, for a disabled bot and for strangers, and leaves no entry', async () => {
    const pulls = await add({ mode: 'pull' });
    const why = (error: string) => ({ status: 400, json: { error } });
    expect(await resume(pulls.id)).toMatchObject(why('The program has no backend to send to'));
    await post('toggle', { id: program.id, enabled: false });
    expect(await resume(program.id)).toMatchObject(why('The program is paused'));
    await post('toggle', { id: program.id, enabled: true });
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: bot.id } });
    expect(await resume(program.id)).toMatchObject(why('The bot is disabled'));
    expect(await resume(program.id, stranger)).toMatchObject({ status: 403 });
    expect(await resume(999_999)).toMatchObject({ status: 404 });
    expect(await audited('backend_resume')).toEqual([]);
  });
});

describe('what waits for a retry is due at once', () => {
  const LATER_MS = 9_000_000_000_000;
  const isDue = async () =>
    Number(await redis.commands.zscore(programKeys(bot.id, program.id).lanes, 'c:5')) < LATER_MS;
  const change = async (path: string, body: object): Promise<boolean> => {
    const own = programKeys(bot.id, program.id);
    await redis.commands.rpush(own.lane('c:5'), '1');
    await redis.commands.zadd(own.lanes, LATER_MS, 'c:5');
    expect(await post(path, body)).toMatchObject({ status: 200 });
    return isDue();
  };

  test.each([
    ['its URL', 'update', { backend_url: `${NOBODY}other` }],
    ['its secret', 'update', { secret_token: 'corrected' }],
    ['its signing secret', 'rotate-signing', {}],
  ])('when %s changes', async (_what, path, changes) => {
    expect(await change(path, { [path === 'update' ? 'id' : 'program_id']: program.id, ...changes })).toBe(true);
  });

  test('but not when its name changes, or nothing', async () => {
    expect(await change('update', { id: program.id, name: 'renamed' })).toBe(false);
    expect(await change('update', { id: program.id, secret_token: 'of-the-program' })).toBe(false);
  });
});

describe('a test delivery to a program', () => {
  const send = (body: object, client = api.admin) => post('test-delivery', body, client);

  test('goes to its backend, byte for byte, with its own secret and signature, which are masked, past its log', async () => {
    await post('rotate-signing', { program_id: program.id });
    const before = [bots.requests.length, programs.requests.length];
    const update = '{"update_id":12,\n"message":{"n":9007199254740993,"text":"п\\u0041"}}';
    const answer = await send({ id: program.id, update });
    expect(answer).toMatchObject({
      status: 200,
      json: { status: 200, request: { url: `${programs.url}/hook?key=****`, body: update } },
    });
    expect([bots.requests.length, programs.requests.length]).toEqual([before[0], before[1]! + 1]);
    const request = programs.requests.at(-1)!;
    expect(request.text).toBe(update);
    expect(request.headers).toMatchObject({
      ...{ 'x-flotilla-test': '1', 'x-telegram-bot-api-secret-token': 'of-the-program' },
      'flotilla-delivery-id': expect.stringMatching(`^${bot.id}-p${program.id}-test-`),
      'webhook-id': expect.stringMatching(`^test_${bot.id}-p${program.id}-test-`),
    });
    for (const secret of ['hidden', 'of-the-program', String(request.headers['webhook-signature'])]) {
      expect(answer.text).not.toContain(secret);
    }
    const { attempts, lanes, work } = programKeys(bot.id, program.id);
    expect(await redis.commands.exists(attempts, lanes, work)).toBe(0);
    expect(await audited('test_delivery')).toMatchObject([{ details: `program ${program.id}; update_id: 12` }]);
  });

  test('is possible once a second for a bot with its programs, only with a URL, and not for strangers', async () => {
    const none = await add({ mode: 'pull' });
    const why = { status: 400, json: { error: 'The program has no backend URL' } };
    expect(await send({ id: none.id })).toMatchObject(why);
    expect(await send({ id: program.id }, stranger)).toMatchObject({ status: 403 });
    expect(await send({ id: 999_999 })).toMatchObject({ status: 404 });
    // Held for long, so that a slow machine does not let it pass.
    await redis.commands.set(botKeys(bot.id).recentTestDelivery, '1', 'PX', 60_000);
    expect(await send({ id: program.id })).toMatchObject({ status: 429 });
    expect(await audited('test_delivery')).toEqual([]);
  });
});

describe('the health of the backend of a program', () => {
  const health = (id: number, client = api.admin) => client('GET', '/api/programs/health', { query: { id } });

  test('is asked for by a GET to its own URL, and not for strangers', async () => {
    const asked = () =>
      [bots, programs].map(({ requests }) => requests.filter(({ method }) => method === 'GET').length);
    const before = asked();
    expect(await health(program.id)).toMatchObject({ status: 200, json: { healthy: true, status_code: 200 } });
    expect(asked()).toEqual([before[0], before[1]! + 1]);
    expect(await health(program.id, stranger)).toMatchObject({ status: 403 });
    expect(await health(999_999)).toMatchObject({ status: 404 });
    const none = await add({ mode: 'pull' });
    const why = { status: 400, json: { error: 'The program has no backend URL' } };
    expect(await health(none.id)).toMatchObject(why);
  });
});
