import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

type Update = { update_id: number; message: { text: string } };
type Program = { read(query?: Record<string, string | number>): Promise<string[]>; offset(): number };

const READY_WITHIN_MS = 60_000;
const HIGH = 1_000_000;

let database: TestDatabase;
let postgres: TcpRelay;
let redis: TestRedis;
let fleet: Fleet;
let secret: string;
let said = 0;

beforeAll(async () => {
  [database, redis] = await Promise.all([testDatabase(), startTestRedis()]);
  postgres = await startTcpRelay(Number(new URL(database.url).port));
  const url = Object.assign(new URL(database.url), { port: String(postgres.port) }).href;
  fleet = await startFleet({ apis: 1, workers: 1 }, { PUBLIC_URL: 'http://127.0.0.1:1' }, { url }, redis);
}, 60_000);
afterAll(async () => {
  await postgres?.restore();
  await fleet?.stop();
  await postgres?.stop();
  await redis?.stop();
  await database?.drop();
}, 60_000);

/** Pushes an update as the platform does, again until it is accepted. */
async function push(bot: FleetBot, updateId: number): Promise<string> {
  said += 1;
  const text = `number ${said}`;
  const message = { message_id: said, date: Math.floor(Date.now() / 1000), chat: { id: 5, type: 'private' }, text };
  const taken = async () => {
    const response = await fetch(`${fleet.url}/telegram/${bot.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
      body: JSON.stringify({ update_id: updateId, message }),
    });
    return response.status === 200;
  };
  await waitFor(taken, { timeoutMs: READY_WITHIN_MS, message: 'the push to be taken' });
  return text;
}
async function pushedBot(): Promise<FleetBot> {
  const bot = await fleet.addBot({ long_poll_enabled: true, webhook_mode: true });
  secret = (await fleet.control.readWebhook({ bot: bot.platformId })).secretToken;
  return bot;
}
/** Pushes updates out of order, so that our ids end eight above the platform's. */
async function pushLate(bot: FleetBot, first: number): Promise<string[]> {
  const texts = [await push(bot, first + 8)];
  for (let id = first; id < first + 8; id += 1) texts.push(await push(bot, id));
  return texts;
}
/** A bot's program that polls from the last update_id + 1, as libraries do. */
function program(bot: FleetBot, url: (bot: FleetBot, query: URLSearchParams) => string): Program {
  let offset = 0;
  return {
    offset: () => offset,
    read: async (query = {}) => {
      const search = new URLSearchParams({ timeout: '2', offset: String(offset) });
      for (const [name, value] of Object.entries(query)) search.set(name, String(value));
      const response = await fetch(url(bot, search), {
        headers: { authorization: 'Bearer flt_system-tests-admin-key-0123456789' },
      });
      expect(response.status).toBe(200);
      const { result } = (await response.json()) as { result: Update[] };
      offset = (result.at(-1)?.update_id ?? offset - 1) + 1;
      return result.map(({ message }) => message.text);
    },
  };
}
const byGetUpdates = (bot: FleetBot) =>
  program(bot, ({ token }, query) => `${fleet.url}/tgapi/bot${token}/getUpdates?${query}`);
const byConsumer = (bot: FleetBot, consumer: string) =>
  program(bot, ({ id }, query) => `${fleet.url}/api/updates/poll?bot_id=${id}&consumer=${consumer}&${query}`);
/** Reads all of these texts; the next read acknowledges them. */
async function readAll(reader: Program, texts: string[]): Promise<void> {
  const read: string[] = [];
  await waitFor(async () => read.push(...(await reader.read())) === texts.length, { timeoutMs: READY_WITHIN_MS });
  expect(read).toEqual(texts);
}
async function readNext(reader: Program, query: Record<string, string | number> = {}): Promise<string[]> {
  let texts: string[] = [];
  const read = async () => {
    texts = await reader.read(query);
    return texts.length > 0;
  };
  await waitFor(read, { timeoutMs: READY_WITHIN_MS, message: 'an update that was not read yet' });
  return texts;
}

/** Ids are reserved in parallel to accepting updates, so the reservation comes shortly after our first own id. */
async function untilReserved(bot: FleetBot): Promise<void> {
  const reserved = async () => {
    const row = database.db.selectFrom('bots').select('reserved_update_id').where('id', '=', bot.id);
    return (await row.executeTakeFirstOrThrow()).reserved_update_id > 0;
  };
  await waitFor(reserved, { timeoutMs: READY_WITHIN_MS, message: 'ids to be reserved' });
}

describe.each([
  ['comes back empty', () => redis.restart({ empty: true })],
  ['is restored from an older file', () => redis.restart({ saved: true })],
])('a Redis that %s', (_how, lose) => {
  test('gives what is pushed after it to programs that go on from where they were', async () => {
    const bot = await pushedBot();
    const early = await pushLate(bot, HIGH);
    const readers = [byGetUpdates(bot), byConsumer(bot, 'a'), byConsumer(bot, 'b')];
    for (const reader of readers) await readAll(reader, early);
    await redis.save();
    const late = await pushLate(bot, HIGH + 20);
    for (const reader of readers) await readAll(reader, late);
    const before = readers.map((reader) => reader.offset());
    await untilReserved(bot);
    await lose();
    const next = await push(bot, HIGH + 29);
    for (const reader of readers) expect((await readNext(reader)).at(-1)).toBe(next);
    for (const [at, reader] of readers.entries()) expect(reader.offset()).toBeGreaterThan(before[at] ?? 0);
  }, 120_000);

  test('gives the newest of what is pushed after it to who asks for that alone', async () => {
    const bot = await pushedBot();
    const reader = byGetUpdates(bot);
    await redis.save();
    await readAll(reader, await pushLate(bot, HIGH));
    const before = reader.offset();
    await untilReserved(bot);
    await lose();
    await push(bot, HIGH + 9);
    const newest = await push(bot, HIGH + 10);
    expect(await readNext(reader, { offset: -1 })).toEqual([newest]);
    expect(reader.offset()).toBeGreaterThan(before);
    expect(await reader.read()).toEqual([]);
  }, 120_000);

  test('gives what is polled after it to programs that go on, of a bot whose ids had run ahead of the platform’s', async () => {
    const bot = await pushedBot();
    await redis.save();
    const reader = byGetUpdates(bot);
    await readAll(reader, await pushLate(bot, HIGH));
    await fleet.rest('/api/bots/update', { id: bot.id, webhook_mode: false });
    await untilReserved(bot);
    await lose();
    await inject(bot, 'after it', HIGH + 9);
    expect((await readNext(reader)).at(-1)).toBe('after it');
  }, 120_000);

  test('gives what is polled after it to programs that go on, of a bot whose platform’s ids had jumped down', async () => {
    const bot = await fleet.addBot({ long_poll_enabled: true });
    const reader = byGetUpdates(bot);
    await redis.save();
    for (const [text, id] of [
      ['high', 500],
      ['low', 0],
      ['lower', 1],
    ] as const) {
      await inject(bot, text, HIGH + id);
      await readAll(reader, [text]);
    }
    await untilReserved(bot);
    await lose();
    await inject(bot, 'after it', HIGH + 2);
    expect((await readNext(reader)).at(-1)).toBe('after it');
    expect(reader.offset()).toBeGreaterThan(HIGH + 503);
  }, 120_000);

  test('leaves a polled bot the platform’s own ids', async () => {
    const bot = await fleet.addBot({ long_poll_enabled: true });
    await redis.save();
    const reader = byGetUpdates(bot);
    await inject(bot, 'before');
    await readAll(reader, ['before']);
    await lose();
    await inject(bot, 'after');
    const id = reader.offset();
    expect(await readNext(reader)).toEqual(['after']);
    expect(reader.offset()).toBe(id + 1);
  }, 120_000);
});

test('no update waits for Postgres: it is away while Redis is restarted, and ids go on above those that were reserved', async () => {
  const bot = await pushedBot();
  const reader = byGetUpdates(bot);
  await readAll(reader, await pushLate(bot, HIGH));
  await waitFor(async () => (await reservedOf(bot)) > HIGH);
  const before = reader.offset();
  await postgres.cut();
  await redis.restart();
  const next = await push(bot, HIGH + 9);
  expect(await readNext(reader)).toEqual([next]);
  expect(reader.offset()).toBeGreaterThan(before);
  await postgres.restore();
  // The ids used while Postgres was away are reserved afterwards.
  await waitFor(async () => (await reservedOf(bot)) > reader.offset(), { timeoutMs: READY_WITHIN_MS });
}, 120_000);

const reservedOf = async (bot: FleetBot) => {
  const row = await database.db
    .selectFrom('bots')
    .select('reserved_update_id')
    .where('id', '=', bot.id)
    .executeTakeFirstOrThrow();
  return row.reserved_update_id;
};
const inject = (bot: FleetBot, text: string, updateId?: number) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    ...(updateId === undefined ? {} : { updateId }),
    kind: 'message',
    raw: JSON.stringify({
      message_id: 1,
      date: Math.floor(Date.now() / 1000),
      chat: { id: 5, type: 'private' },
      text,
    }),
  });
