import type { EventSinkResource } from '@flotilla/contract/event-sinks.ts';
import type { EventResource } from '@flotilla/contract/events.ts';
import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { recordEvent } from '@flotilla/domain/people/events/record-event.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { eventKeys } from '@flotilla/redis/keys.ts';
import { type RecordedRequest, startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { verifies } from './verifies.ts';

/** After its start a fleet tells of nobody as silent for half a minute. */
const PATIENCE = { timeoutMs: 90_000 };
const TEST_MS = 120_000;
const ON_CALL = 7_007;

type Event = { type: string; timestamp: string; data: EventResource & { bot_name?: string; repeats?: number } };
type NewSink = EventSinkResource & { signing_secret?: string };

let fleet: Fleet;
/** Writes to the person on call. */
let pager: FleetBot;
const backends: TestBackend[] = [];
let db: Database;
let redis: RedisHandles;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 2 }, { PUBLIC_URL: 'https://bots.example.com' });
  db = connectDatabase({ url: fleet.database.url, maxConnections: 1 });
  // The first look at dead letters only remembers where it is.
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => undefined } });
  await waitFor(async () => (await redis.commands.get(eventKeys.lastLetter)) !== null, PATIENCE);
  pager = await fleet.addBot({ long_poll_enabled: true, silent_after_s: 0 }, { name: 'Pager' });
  await fleet.control.createPerson({ id: ON_CALL, firstName: 'Ada' });
  await fleet.control.startBot({ person: ON_CALL, bot: pager.platformId });
}, 180_000);
afterAll(async () => {
  await db?.destroy();
  await redis?.close();
  await fleet?.stop();
  await Promise.all(backends.map((backend) => backend.stop()));
}, 180_000);

/** A server of one test, which answers with its `status`. */
async function answering(status: number) {
  const backend = await startBackend((_request, response) => void response.writeHead(server.status).end());
  backends.push(backend);
  const { url, requests } = backend;
  const received = (type: string, bot: FleetBot) =>
    requests.filter((one) => eventOf(one).type === type && eventOf(one).data.bot_id === bot.id);
  const server = { status, url, requests, received };
  return server;
}
const addSink = (fields: object) => fleet.rest<NewSink>('/api/event-sinks/add', fields);
const sinkOf = async (id: number) =>
  (await fleet.rest<EventSinkResource[]>('/api/event-sinks')).find((sink) => sink.id === id)!;
const chatTexts = async () =>
  (await fleet.control.readChat({ person: ON_CALL, bot: pager.platformId })).messages.map(({ text = '' }) => text);
const untilTold = (...parts: string[]) =>
  waitFor(async () => (await chatTexts()).find((text) => parts.every((part) => text.includes(part))), PATIENCE);
const say = (bot: FleetBot, text: string) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5,"type":"private"},"text":"${text}"}`,
  });
const poll = async (bot: FleetBot, offset = 0) => {
  const path = `/api/updates/poll?bot_id=${bot.id}&timeout=0&offset=${offset}`;
  return (await fleet.rest<{ result: { update_id: number }[] }>(path)).result;
};
const eventOf = ({ text }: RecordedRequest) => JSON.parse(text) as Event;
const kindsOf = async ({ id }: FleetBot) =>
  (await fleet.rest<EventResource[]>(`/api/events?bot_id=${id}`)).map(({ kind }) => kind).reverse();

/** All but the last run in parallel, because each waits for a notice; no two of them share a bot or a server. */
describe('events', () => {
  test.concurrent(
    'a poller that falls silent is told in a chat, and that it is back',
    async () => {
      const desk = await fleet.addBot({ long_poll_enabled: true, silent_after_s: 1 }, { name: 'Help desk' });
      const { id } = await addSink({
        name: 'On call',
        bot_id: pager.id,
        chat_id: ON_CALL,
        kinds: ['poller.silent', 'poller.back'],
        bot_ids: [desk.id],
      });
      expect(await poll(desk)).toEqual([]);
      await say(desk, 'is anybody there?');
      const told = await untilTold('Help desk', 'poller.silent');
      expect(told).toMatch(/^🔴 Help desk: .*no program is polling.*1 wait/);
      expect(told).toContain(`https://bots.example.com/console/bots/${desk.id}`);
      const [update] = await poll(desk);
      await poll(desk, update!.update_id + 1);
      await untilTold('🟢 Help desk', 'poller.back');
      // Twice at once would be the fault of two workers that look at the same time.
      expect((await chatTexts()).filter((text) => text.includes('Help desk'))).toHaveLength(2);
      expect(await kindsOf(desk)).toEqual(['bot.added', 'poller.silent', 'poller.back']);
      const sink = await sinkOf(id);
      expect(sink).toMatchObject({ waiting: 0, last_error: '', delivered_at: expect.any(String) });
      await fleet.rest('/api/event-sinks/delete', { id });
    },
    TEST_MS,
  );

  test.concurrent(
    'a URL gets events signed as Standard Webhooks says, again until it takes them and in order; its failure delays no other sink',
    async () => {
      const [receiver, backend] = [await answering(503), await answering(502)];
      const kinds = ['backend.failing', 'backend.recovered'];
      const { id, signing_secret: secret = '' } = await addSink({
        name: 'Desk',
        url: `${receiver.url}/events?key=hidden`,
        kinds,
      });
      const chat = await addSink({ name: 'On call', bot_id: pager.id, chat_id: ON_CALL, kinds });
      expect((await sinkOf(id)).url).toBe(`${receiver.url}/events?key=****`);
      const shop = await fleet.addBot({ backend_url: backend.url }, { name: 'Shop' });
      await say(shop, 'an order');
      await untilTold('🔴 Shop', 'backend.failing');
      await waitFor(async () => (await sinkOf(id)).last_error.includes('503'), PATIENCE);
      expect(await sinkOf(id)).toMatchObject({ waiting: 1, failing_since: expect.any(String) });
      backend.status = 200;
      await fleet.rest('/api/bots/resume-backend', { bot_id: shop.id });
      await untilTold('🟢 Shop', 'backend.recovered');
      receiver.status = 200;
      await waitFor(() => receiver.received('backend.recovered', shop).length > 0, PATIENCE);
      const [recovered] = receiver.received('backend.recovered', shop);
      const tries = receiver.received('backend.failing', shop);
      expect(new Set(tries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(tries.at(-1)!.receivedAtMs).toBeLessThanOrEqual(recovered!.receivedAtMs);
      expect([...tries, recovered!].every((request) => verifies(secret, request))).toBe(true);
      expect(verifies('whsec_AAAA', recovered!)).toBe(false);
      expect(eventOf(recovered!)).toMatchObject({
        type: 'backend.recovered',
        data: { bot_id: shop.id, bot_name: 'Shop' },
      });
      await waitFor(async () => (await sinkOf(id)).waiting === 0, PATIENCE);
      expect(await sinkOf(id)).not.toHaveProperty('failing_since');
      for (const one of [id, chat.id]) await fleet.rest('/api/event-sinks/delete', { id: one });
    },
    TEST_MS,
  );

  test.concurrent(
    'of one kind and one bot the first comes at once, and what follows waits its time and is one; a worker may be killed',
    async () => {
      const receiver = await answering(200);
      const lossy = await fleet.addBot({ long_poll_enabled: true, silent_after_s: 0 }, { name: 'Lossy' });
      const { id } = await addSink({
        name: 'Letters',
        url: receiver.url,
        kinds: ['dead_letters.grew'],
        bot_ids: [lossy.id],
      });
      const lose = async (updates: number[]) => {
        const before = (await kindsOf(lossy)).length;
        const letter = {
          bot_id: lossy.id,
          reader: 'push',
          payload: '{}',
          reason: 'x',
          reason_code: 'refused',
          attempts: 1,
        };
        await db
          .insertInto('dead_letters')
          .values(updates.map((update_id) => ({ ...letter, update_id })))
          .execute();
        await waitFor(async () => (await kindsOf(lossy)).length > before, PATIENCE);
      };
      await lose([1, 2]);
      await waitFor(() => receiver.received('dead_letters.grew', lossy).length > 0, PATIENCE);
      const [first] = receiver.received('dead_letters.grew', lossy);
      expect(eventOf(first!).data).toMatchObject({ text: '2 updates failed: x', bot_name: 'Lossy' });
      await waitFor(async () => (await sinkOf(id)).waiting === 0, PATIENCE);
      await fleet.workers[0]!.kill();
      await lose([3]);
      await lose([4]);
      expect(await kindsOf(lossy)).toEqual(['bot.added', ...Array(3).fill('dead_letters.grew')]);
      expect(await sinkOf(id)).toMatchObject({ waiting: 1, last_error: '' });
      expect(receiver.received('dead_letters.grew', lossy)).toHaveLength(1);
      // A kind of its own does not wait for another one.
      await fleet.rest('/api/event-sinks/update', { id, kinds: null });
      await fleet.rest('/api/bots/update', { id: lossy.id, silent_after_s: 1 });
      await say(lossy, 'nobody polls');
      await waitFor(() => receiver.received('poller.silent', lossy).length === 1, PATIENCE);
      await fleet.rest('/api/bots/update', { id: lossy.id, silent_after_s: 0 });
      await waitFor(() => receiver.received('poller.back', lossy).length === 1, PATIENCE);
      expect(await fleet.rest('/api/event-sinks/test', { id })).toMatchObject({ delivered: true, error: '' });
      expect(eventOf(receiver.requests.at(-1)!)).toMatchObject({ type: 'bot.added', data: { id: 0, test: true } });
      await fleet.rest('/api/event-sinks/delete', { id });
    },
    TEST_MS,
  );

  test(
    'a chat gets what happens to many bots at once as one message',
    async () => {
      const kinds = ['backend.failing', 'bot.unauthorized'];
      const { id } = await addSink({ name: 'On call', bot_id: pager.id, chat_id: ON_CALL, kinds });
      await db.transaction().execute(async (transaction) => {
        for (let bot = 1; bot <= 200; bot += 1) {
          await recordEvent(transaction, { kind: 'backend.failing', bot_id: 1_000_000 + bot, text: 'their host died' });
        }
      });
      const told = await untilTold('backend.failing: 200');
      expect(told).toMatch(/… and 195 more\nhttps:\/\/bots\.example\.com\/console\/events$/);
      expect((await chatTexts()).filter((text) => text.includes('their host died'))).toHaveLength(1);
      expect(await sinkOf(id)).toMatchObject({ waiting: 0, last_error: '' });
      const revoked = await fleet.addBot({ long_poll_enabled: true }, { name: 'Revoked' });
      await fleet.control.revokeToken({ bot: revoked.platformId });
      await untilTold('🔴 Revoked', 'bot.unauthorized');
      await fleet.rest('/api/event-sinks/delete', { id });
    },
    TEST_MS,
  );
});
