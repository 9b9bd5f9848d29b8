import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

type Pod = Awaited<ReturnType<TestApi['startPod']>>;
type Sender = { bot: { id: number; token: string }; chat: number };

let api: TestApi;
let single: TestRedis;
let relay: TcpRelay;
let pod: Pod;
/** Connects without the relay, to see what arrived. */
let redis: RedisHandles;

beforeAll(async () => {
  [api, single] = await Promise.all([startTestApi(), startTestRedis()]);
  relay = await startTcpRelay(single.port);
  pod = await api.startPod({ REDIS_URL: `redis://127.0.0.1:${relay.port}` });
  redis = await connectRedis({ url: single.url, log: createLogger({ name: 'test', level: 'silent' }) });
}, 60_000);
afterAll(async () => {
  await relay?.restore();
  await redis?.close();
  await api?.stop();
  await relay?.stop();
  await single?.stop();
});

async function newSender(): Promise<Sender> {
  const known = await api.platform.createBot({});
  const person = await api.platform.createPerson({});
  await api.platform.startBot({ person: person.id, bot: known.id, quietly: true });
  const admin = restClient(pod.url, ADMIN_KEY);
  const added = await waitFor(async () => {
    const answer = await admin('POST', '/api/bots/add', { body: { token: known.token } });
    return answer.status === 200 && answer;
  });
  return { bot: (added as { json: unknown }).json as Sender['bot'], chat: person.id };
}
/** Repeats a call until the proxy has loaded its directory of bots; returns the platform's result. */
async function call({ bot }: Sender, method: string, params: Record<string, string>): Promise<Record<string, unknown>> {
  const query = new URLSearchParams(params);
  const answer = await waitFor(
    async () => {
      const response = await fetch(`${pod.url}/tgapi/bot${bot.token}/${method}?${query}`);
      return response.status !== 503 && ((await response.json()) as { ok: boolean; result: never });
    },
    { timeoutMs: 20_000 },
  );
  expect(answer).toMatchObject({ ok: true });
  return (answer as { result: Record<string, unknown> }).result;
}
const send = async (sender: Sender, text: string) =>
  (await call(sender, 'sendMessage', { chat_id: String(sender.chat), text })).message_id as number;
/** Methods with their message ids, in the order of the history stream. */
async function arrived({ bot }: Sender): Promise<string[]> {
  const entries = await redis.commands.xrange(botKeys(bot.id).history, '-', '+');
  return entries.flatMap(([, fields]) => {
    const field = (name: string) => fields[fields.indexOf(name) + 1] ?? '';
    if (field('t') !== 'call' || field('b') !== String(bot.id)) return [];
    return `${field('m')} ${JSON.parse(field('r')).message_id ?? JSON.parse(field('p')).message_id}`;
  });
}
const count = async (outcome: string) =>
  (await readMetric(pod, 'flotilla_proxy_captured_calls_total', { outcome })) ?? 0;
const allStored = (calls: number) =>
  waitFor(async () => (await count('stored')) >= calls, { timeoutMs: 20_000, message: `${calls} calls stored` });

describe('what bots send is kept, once and in order', () => {
  test('while the connection to Redis breaks again and again', async () => {
    const senders = [await newSender(), await newSender(), await newSender()];
    const before = await count('stored');
    const ids: number[][] = senders.map(() => []);
    let sending = true;
    const running = senders.map(async (sender, at) => {
      while (sending) ids[at]?.push(await send(sender, 'x'));
    });
    for (let breaks = 0; breaks < 25; breaks += 1) {
      const sent = ids.flat().length;
      await waitFor(() => ids.flat().length > sent + 20, { timeoutMs: 20_000 });
      await relay.restore();
    }
    sending = false;
    await Promise.all(running);
    await allStored(before + ids.flat().length);
    for (const [at, sender] of senders.entries()) {
      expect(await arrived(sender)).toEqual(ids[at]?.map((id) => `sendmessage ${id}`));
    }
    expect(await count('lost')).toBe(0);
  }, 60_000);

  test.each([
    ['answers nothing', () => relay.hang()],
    ['is cut off', () => relay.cut()],
  ])(
    'while Redis %s for seconds, and after it',
    async (_how, takeAway) => {
      const sender = await newSender();
      const before = await count('stored');
      const first = await send(sender, 'before');
      await allStored(before + 1);
      await takeAway();
      const expected = [`sendmessage ${first}`];
      for (let at = 0; at < 5; at += 1) {
        const id = await send(sender, 'meanwhile');
        const target = { chat_id: String(sender.chat), message_id: String(id) };
        await call(sender, 'editMessageText', { ...target, text: 'edited' });
        if (at % 2 === 0) await call(sender, 'deleteMessage', target);
        expected.push(`sendmessage ${id}`, `editmessagetext ${id}`, ...(at % 2 === 0 ? [`deletemessage ${id}`] : []));
      }
      // Longer than the timeout of any Redis command.
      const awaySinceMs = performance.now();
      await waitFor(() => performance.now() - awaySinceMs > 3_000);
      await relay.restore();
      await allStored(before + expected.length);
      expect(await arrived(sender)).toEqual(expected);
      expect(await count('lost')).toBe(0);
    },
    60_000,
  );
});
