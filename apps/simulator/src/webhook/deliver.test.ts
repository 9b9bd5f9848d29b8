import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  type ConformanceTarget,
  callApi,
  callback,
  inject,
  message,
  pendingCount,
  poll,
  type TestBot,
  untilPending,
} from '../conformance/conformance-target.ts';
import { controlClient } from '../control-client.ts';
import { type RunningSimulator, startSimulator } from '../start.ts';
import { type Delivered, type EndpointAnswer, startEndpoint } from './test-endpoint.ts';

let simulator: RunningSimulator;
let target: ConformanceTarget;
let bot: TestBot;
let stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  simulator = await startSimulator({
    resolveHost: (host) => (host === 'never-resolved.example' ? new Promise(() => {}) : lookup(host, { all: true })),
  });
  const control = controlClient(simulator.url);
  target = { baseUrl: simulator.url, control, botFactory: (options) => control.createBot(options) };
  bot = await control.createBot({ nextUpdateId: 101 });
});
afterEach(async () => {
  await Promise.all([simulator.stop(), ...stops.map((stop) => stop())]);
  stops = [];
});

async function hook(answer?: (delivered: Delivered, number: number) => EndpointAnswer, params: object = {}) {
  const endpoint = await startEndpoint(answer);
  stops.push(endpoint.stop);
  const { body } = await callApi(target, bot, 'setWebhook', { url: endpoint.url, ...params });
  expect(body).toEqual({ ok: true, result: true, description: 'Webhook was set' });
  return endpoint;
}

const inChat = (id: number, text: string) => {
  const update = message(text);
  return { ...update, raw: update.raw.replaceAll('77000001', String(id)) };
};
const info = async () => (await callApi(target, bot, 'getWebhookInfo')).body.result as Record<string, unknown>;

test('an update is posted as it is, with the secret when one is set', async () => {
  const endpoint = await hook(undefined, { secret_token: 'abc' });
  const update = message('hi');
  await inject(target, bot, [update]);
  const [delivered] = await endpoint.untilDelivered(1);
  expect(delivered!.body).toBe(`{"update_id":101,\n"message":${update.raw}}`);
  expect(delivered!.headers).toMatchObject({
    'content-type': 'application/json',
    'x-telegram-bot-api-secret-token': 'abc',
  });
  await untilPending(target, bot, 0);
});

test('one chat is served in turn, chats and button presses side by side', async () => {
  let active = 0;
  let most = 0;
  const endpoint = await hook((_, number) => {
    active += 1;
    most = Math.max(most, active);
    setTimeout(() => {
      active -= 1;
    }, 200);
    return { afterMs: 200, body: String(number) };
  });
  await inject(target, bot, [inChat(1, 'a'), inChat(1, 'b'), inChat(2, 'c'), callback()]);
  const delivered = await endpoint.untilDelivered(4);
  expect(most).toBe(3);
  expect(delivered[3]!.body).toContain('"text":"b"');
});

test('a failing update is sent again at once, then after 2, 4, 8 … seconds', async () => {
  const endpoint = await hook(() => ({ status: 500 }));
  await inject(target, bot, [message('x')]);
  await endpoint.untilDelivered(2);
  for (const [seconds, sends] of [
    [2, 3],
    [4, 4],
    [8, 5],
    [16, 6],
  ] as const) {
    await sleep(50);
    await target.control.advanceClock({ ms: (seconds - 1) * 1000 });
    await sleep(50);
    expect(endpoint.delivered).toHaveLength(sends - 1);
    await target.control.advanceClock({ ms: 1000 });
    await endpoint.untilDelivered(sends);
  }
});

test('Retry-After in seconds replaces the delay', async () => {
  const endpoint = await hook((_, number) => (number === 1 ? { status: 503, headers: { 'Retry-After': '7' } } : {}));
  await inject(target, bot, [message('x')]);
  await endpoint.untilDelivered(1);
  await sleep(50);
  await target.control.advanceClock({ ms: 6_000 });
  await sleep(50);
  expect(endpoint.delivered).toHaveLength(1);
  await target.control.advanceClock({ ms: 1_000 });
  await endpoint.untilDelivered(2);
});

test('a redirect is a failure that stays on record, 204 is a success', async () => {
  const endpoint = await hook((_, number) =>
    number === 1 ? { status: 302, headers: { Location: '/' } } : { status: 204 },
  );
  await inject(target, bot, [message('x')]);
  await endpoint.untilDelivered(2);
  await untilPending(target, bot, 0);
  expect((await info()).last_error_message).toBe('Wrong response from the webhook: 302 Found');
});

test('a call in the answer is carried out once, reading and webhook calls are ignored', async () => {
  const person = await target.control.createPerson({});
  await target.control.startBot({ person: person.id, bot: bot.id, quietly: true });
  const calls = [
    { method: 'sendMessage', chat_id: person.id, text: 'in the answer' },
    { method: 'getMe' },
    { method: 'deleteWebhook' },
  ];
  const endpoint = await hook((_, number) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls[number - 1]),
  }));
  await inject(target, bot, [message('1'), message('2'), message('3')]);
  await endpoint.untilDelivered(3);
  await untilPending(target, bot, 0);
  const { messages } = await target.control.readChat({ person: person.id, bot: bot.id });
  expect(messages.map(({ text }) => text)).toEqual(['in the answer']);
  expect((await info()).url).toBe(endpoint.url);
});

test('more than 23 h of nothing but 410 removes the webhook and keeps the updates', async () => {
  const endpoint = await hook(() => ({ status: 410, headers: { 'Retry-After': '3600' } }));
  const lasting = { ...message('x'), neverExpires: true };
  await target.control.injectUpdates({ bot: bot.id, updates: [lasting] });
  await endpoint.untilDelivered(1);
  for (let hours = 1; hours <= 23; hours += 1) {
    await sleep(10);
    await target.control.advanceClock({ ms: 3_600_000 });
    await endpoint.untilDelivered(hours + 1);
    if (hours === 22) expect((await info()).url).toBe(endpoint.url);
  }
  await sleep(50);
  expect((await info()).url).toBe('');
  expect(await pendingCount(target, bot)).toBe(1);
});

test('a failing chat does not hold up another', async () => {
  const endpoint = await hook(({ body }) => ({ status: body.includes('"id":1,') ? 500 : 200 }));
  await inject(target, bot, [inChat(1, 'fails'), inChat(2, 'a'), inChat(2, 'b')]);
  await endpoint.untilDelivered(4);
  await untilPending(target, bot, 1);
});

test('an update that outlives its time is dropped and the next in its lane is sent', async () => {
  const endpoint = await hook((_, number) => ({ status: number <= 2 ? 500 : 200 }));
  await inject(target, bot, [callback(149), callback()]);
  const delivered = await endpoint.untilDelivered(3);
  expect(delivered.map(({ body }) => JSON.parse(body).update_id)).toEqual([101, 101, 102]);
});

test('waiting updates are delivered when a webhook is set, and polled again when it is gone', async () => {
  await inject(target, bot, [message('before')]);
  const endpoint = await hook((_, number) => ({ status: number === 1 ? 200 : 500 }));
  await endpoint.untilDelivered(1);
  await untilPending(target, bot, 0);
  await inject(target, bot, [message('after')]);
  await endpoint.untilDelivered(3);
  const { body } = await callApi(target, bot, 'deleteWebhook');
  expect(body).toEqual({ ok: true, result: true, description: 'Webhook was deleted' });
  expect(await poll(target, bot)).toMatchObject([{ update_id: 102 }]);
});

test('a setWebhook still in flight keeps polls out and is ended by the next one', async () => {
  const slow = callApi(target, bot, 'setWebhook', { url: 'https://never-resolved.example/' });
  while (simulator.state.bots.get(bot.id)!.refusePendingSet === null) await sleep(5);
  expect((await callApi(target, bot, 'getUpdates')).body.description).toMatch(/^Conflict: can't use getUpdates method/);
  await target.control.advanceClock({ ms: 1_000 });
  const endpoint = await hook();
  expect((await slow).body).toMatchObject({ error_code: 409, description: 'Conflict: terminated by other setWebhook' });
  expect((await info()).url).toBe(endpoint.url);
});

test('setWebhook, deleteWebhook and getWebhookInfo judge and report', async () => {
  const second = () => target.control.advanceClock({ ms: 1_000 });
  const set = async (params: object) => (await callApi(target, bot, 'setWebhook', { ...params })).body;
  const url = 'https://93.184.216.34/hook';
  await target.control.setLocalMode({ localMode: false });
  expect(await info()).toEqual({ url: '', has_custom_certificate: false, pending_update_count: 0 });
  expect((await set({ url })).ok).toBe(true);
  expect(await set({ url })).toMatchObject({ error_code: 429, parameters: { retry_after: 1 } });
  await second();
  expect(await set({ url })).toMatchObject({ description: 'Webhook is already set' });
  await second();
  expect(await set({ url, drop_pending_updates: true })).toMatchObject({ description: 'Webhook was set' });
  expect(await info()).toMatchObject({ max_connections: 40, ip_address: '93.184.216.34' });
  for (const [params, description] of [
    [{ url: 'http://93.184.216.34/' }, 'bad webhook: An HTTPS URL must be provided for webhook'],
    [{ url: 'https://93.184.216.34:8080/' }, 'bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443'],
    [{ url: 'https://10.0.0.1/' }, 'bad webhook: IP address 10.0.0.1 is reserved'],
    [{ url: 'ftp://x/' }, 'invalid webhook URL specified'],
    [{ url, secret_token: 'x'.repeat(257) }, 'secret token is too long'],
    [{ url, secret_token: 'a!' }, 'secret token contains unallowed characters'],
  ] as const) {
    await second();
    expect(await set(params)).toMatchObject({ error_code: 400, description: `Bad Request: ${description}` });
    expect((await info()).url).toBe('');
  }
  await second();
  await set({ url, max_connections: 1000 });
  expect(await info()).toMatchObject({ max_connections: 100 });
  expect((await callApi(target, bot, 'setWebhook', { url: '' })).body.description).toBe('Webhook was deleted');
  expect((await callApi(target, bot, 'deleteWebhook')).body.description).toBe('Webhook is already deleted');
});
