import type { BotResource } from '@flotilla/contract/bots.ts';
import { KEY_HEADER } from '@flotilla/domain/delivery/idempotency/key-header.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const api = testApi();
let bot: BotResource;
let person: number;
let redis: RedisHandles;
let keys = 0;

beforeAll(async () => {
  bot = await api.addBot();
  person = (await api.platform.createPerson({})).id;
  await api.platform.startBot({ person, bot: platformId() });
  redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
  api.endBefore(() => redis.close());
}, 60_000);

const platformId = () => Number(bot.token.split(':')[0]);
const newKey = () => {
  keys += 1;
  return `key-${keys}`;
};
type Sent = { status: number; text: string; replayed: string | null };

async function send(
  key: string,
  fields: object | FormData,
  { as = ADMIN_KEY, url = api.url, path = 'messages/send' } = {},
) {
  const isForm = fields instanceof FormData;
  const response = await fetch(`${url}/api/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${as}`,
      [KEY_HEADER]: key,
      ...(isForm ? {} : { 'content-type': 'application/json' }),
    },
    body: isForm ? fields : JSON.stringify({ bot_id: bot.id, chat_id: person, ...fields }),
  });
  const text = await response.text();
  return { status: response.status, text, replayed: response.headers.get('idempotency-replayed') } satisfies Sent;
}
const codeOf = ({ text }: Sent) => (JSON.parse(text) as { code: string }).code;
const fault = (effect: Parameters<typeof api.platform.setFault>[0]['effect']) =>
  api.platform.setFault({ bot: platformId(), method: 'sendMessage', count: 1, effect });
const callsOf = async (method: string) => (await api.platform.readCalls({ bot: platformId(), method })).calls.length;

describe('a call of REST that is repeated with its key', () => {
  test('sends once, and has the same answer on any replica', async () => {
    const [key, before, pod] = [newKey(), await callsOf('sendMessage'), await api.startPod()];
    await waitFor(async () => (await fetch(`${pod.url}/readyz`)).ok);
    const first = await send(key, { text: 'once' });
    const again = await send(key, { text: 'once' }, { url: pod.url });
    expect([first.status, first.replayed]).toEqual([200, null]);
    expect(again).toEqual({ ...first, replayed: 'true' });
    expect(await callsOf('sendMessage')).toBe(before + 1);
    const log = await api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id, action: 'send', limit: 10 } });
    expect((log.json as object[]).length).toBe(1);
  });

  test('is refused with other inputs or for another operation', async () => {
    const key = newKey();
    const { id } = JSON.parse((await send(key, { text: 'x' })).text) as { id: number };
    const other = await send(key, { text: 'y' });
    const edit = await send(key, { message_id: id, text: 'x' }, { path: 'messages/edit' });
    expect([other.status, codeOf(other), edit.status, codeOf(edit)]).toEqual([
      ...[422, 'idempotency_mismatch'],
      ...[422, 'idempotency_mismatch'],
    ]);
  });

  test('gets a refusal of the platform again', async () => {
    const [key, before] = [newKey(), await callsOf('sendMessage')];
    const first = await send(key, { chat_id: 999_999_999, text: 'x' });
    expect([first.status, codeOf(first)]).toEqual([400, 'platform_refused']);
    expect(await send(key, { chat_id: 999_999_999, text: 'x' })).toEqual({ ...first, replayed: 'true' });
    expect(await callsOf('sendMessage')).toBe(before + 1);
  });

  test('may carry a file, which is compared as well', async () => {
    const form = (content: string) => {
      const made = new FormData();
      made.set('bot_id', String(bot.id));
      made.set('chat_id', String(person));
      made.set('file', new File([content.repeat(300_000)], 'a.bin'));
      return made;
    };
    const [key, before] = [newKey(), await callsOf('sendDocument')];
    const first = await send(key, form('a'));
    expect(await send(key, form('a'))).toEqual({ ...first, replayed: 'true' });
    expect(codeOf(await send(key, form('b')))).toBe('idempotency_mismatch');
    expect([first.status, await callsOf('sendDocument')]).toEqual([200, before + 1]);
  });

  test('waits for the first one', async () => {
    const key = newKey();
    await fault({ kind: 'delay', delayMs: 500 });
    const answers = await Promise.all([send(key, { text: 'both' }), send(key, { text: 'both' })]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ replayed }) => replayed).sort()).toEqual(['true', null].sort());
  });
});

test.each([
  ['that the platform carried out and did not answer is known to nobody', { kind: 'lose-answer' }, 409],
  ['that the platform answered with 500 runs', { kind: 'status', status: 500 }, 200],
  ['that came too soon runs', { kind: 'status', status: 429, retryAfterS: 1 }, 200],
] as const)('after a call %s', async (_name, effect, status) => {
  const key = newKey();
  await fault(effect);
  expect((await send(key, { text: 'x' })).status).not.toBe(200);
  let next = await send(key, { text: 'x' });
  await waitFor(async () => {
    if (next.status === 429) next = await send(key, { text: 'x' });
    return next.status !== 429;
  });
  expect([next.status, next.replayed]).toEqual([status, null]);
  if (status === 409) expect(codeOf(next)).toBe('conflict');
});

test('a refusal before anything was sent does not use the key up', async () => {
  const key = newKey();
  await api.admin('POST', '/api/bots/update', { body: { id: bot.id, manage_enabled: false } });
  expect((await send(key, { text: 'x' })).status).toBe(400);
  await api.admin('POST', '/api/bots/update', { body: { id: bot.id, manage_enabled: true } });
  expect(await send(key, { text: 'x' })).toMatchObject({ status: 200, replayed: null });
});

test('keys belong to the API key or account that made the call', async () => {
  const key = newKey();
  const owner = await insertAccount(api.database.db, { username: 'owner', bots: [bot.id] });
  const [first, other] = [await send(key, { text: 'x' }), await send(key, { text: 'y' }, { as: owner.key })];
  expect([first.status, other.status, other.replayed]).toEqual([200, 200, null]);
  expect(await redis.commands.zcard(botKeys(bot.id).idempotency.claimed)).toBeGreaterThan(1);
});

test('the room of an account is that of all its keys', async () => {
  const other = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'another' } });
  const { entries } = botKeys(bot.id).idempotency;
  const counts = async () => (await redis.commands.hkeys(entries)).filter((name) => name.startsWith('keys:')).length;
  await send(newKey(), { text: 'x' });
  const before = await counts();
  expect((await send(newKey(), { text: 'x' }, { as: (other.json as { key: string }).key })).status).toBe(200);
  expect(await counts()).toBe(before);
});

test('a key has 1 to 255 visible ASCII characters', async () => {
  expect(await send('x'.repeat(256), { text: 'x' })).toMatchObject({ status: 400 });
});
