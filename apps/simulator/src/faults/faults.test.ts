import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestPlatform, type TestPlatform } from '../conformance/test-platform.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

async function fresh() {
  const bot = await platform.control.createBot({});
  const person = (await platform.control.createPerson({})).id;
  await platform.control.startBot({ person, bot: bot.id, quietly: true });
  return { bot, person, call: (method: string) => fetch(`${platform.url}/bot${bot.token}/${method}`) };
}

test('a status fault is answered the given number of times, to the given bot and method only', async () => {
  const { bot, call } = await fresh();
  const other = await fresh();
  await platform.control.setFault({
    bot: bot.id,
    method: 'getMe',
    count: 1,
    effect: { kind: 'status', status: 429, retryAfterS: 7 },
  });
  expect((await call('getWebhookInfo')).status).toBe(200);
  expect((await other.call('getMe')).status).toBe(200);
  const refused = await call('getme');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
  expect(await refused.json()).toMatchObject({ error_code: 429, parameters: { retry_after: 7 } });
  expect((await call('getMe')).status).toBe(200);
});

test('garbage, resets, hangs and delays can be asked for', async () => {
  const { bot, call } = await fresh();
  const fault = (effect: Parameters<typeof platform.control.setFault>[0]['effect']) =>
    platform.control.setFault({ bot: bot.id, count: 1, effect });
  await fault({ kind: 'status', status: 502, body: '<html>', contentType: 'text/html' });
  expect(await (await call('getMe')).text()).toBe('<html>');
  await fault({ kind: 'reset' });
  await expect(call('getMe')).rejects.toThrow();
  await fault({ kind: 'hang' });
  const signal = AbortSignal.timeout(200);
  await expect(fetch(`${platform.url}/bot${bot.token}/getMe`, { signal })).rejects.toThrow();
  await fault({ kind: 'delay', delayMs: 150 });
  const startedMs = performance.now();
  await call('getMe');
  expect(performance.now() - startedMs).toBeGreaterThan(140);
});

test('a lost answer belongs to a call that was carried out', async () => {
  const { bot, person, call } = await fresh();
  await platform.control.setFault({ bot: bot.id, count: 1, effect: { kind: 'lose-answer' } });
  await expect(call(`sendMessage?chat_id=${person}&text=once`)).rejects.toThrow();
  const { messages } = await platform.control.readChat({ person, bot: bot.id });
  expect(messages.map(({ text }) => text)).toEqual(['once']);
});

test('calls are on record with how many polls there were at once', async () => {
  const { bot, call } = await fresh();
  const polls = [call('getUpdates?timeout=2'), call('getUpdates?timeout=1')];
  await Promise.all(polls);
  await call('sendMessage?chat_id=5&text=hi');
  const seen = await platform.control.readCalls({ bot: bot.id });
  expect(seen).toMatchObject({ total: 3, byMethod: { getupdates: 2, sendmessage: 1 }, pollsNow: 0, pollsHighWater: 2 });
  expect(seen.calls.at(-1)).toMatchObject({ method: 'sendmessage', params: { chat_id: '5', text: 'hi' }, status: 400 });
});

test('injected updates may jump, repeat and step back in their ids', async () => {
  const bot = await platform.control.createBot({ nextUpdateId: 100 });
  const raw = JSON.stringify({ message_id: 1, date: Math.floor(Date.now() / 1000), chat: { id: 1 }, text: 'x' });
  const inject = async (updateId?: number) => {
    const given = updateId === undefined ? {} : { updateId };
    return (await platform.control.injectUpdate({ bot: bot.id, kind: 'message', raw, ...given })).updateId;
  };
  expect([await inject(), await inject(500), await inject(500), await inject(20), await inject()]).toEqual([
    100, 500, 500, 20, 21,
  ]);
  const poll = async (offset: number) => {
    const updates = await platform.ok<{ update_id: number }[]>(bot, 'getUpdates', { offset });
    return updates.map(({ update_id }) => update_id);
  };
  expect(await poll(0)).toEqual([100, 500, 500, 20, 21]);
  expect(await poll(21)).toEqual([21]);
  expect(await poll(22)).toEqual([]);
});

test('generated load comes at its rate and in order within each chat', async () => {
  const { bot } = await fresh();
  const load = { bots: [bot.id], chats: 3, count: 60, perSecond: 300, prefix: 'n' };
  const { loadId } = await platform.control.generate(load);
  while (!(await platform.control.readLoad({ loadId })).done) await new Promise((resolve) => setTimeout(resolve, 10));
  const numbers = new Map<unknown, number[]>();
  for (const [, { chat, text }] of await platform.take(bot)) {
    const { id } = chat as { id: number };
    numbers.set(id, [...(numbers.get(id) ?? []), Number(/^n(\d+) @/.exec(String(text))?.[1])]);
  }
  expect([...numbers.values()]).toEqual(
    Array.from({ length: 3 }, () => Array.from({ length: 20 }, (_, index) => index)),
  );
});
