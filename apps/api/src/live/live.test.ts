import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type BotResource, bot as botResource } from '@flotilla/contract/bots.ts';
import { fleetResource } from '@flotilla/contract/fleet.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { noteRefusal } from '@flotilla/domain/delivery/polling/note-refusal.ts';
import { claimDeliveries } from '@flotilla/domain/delivery/push/claim-deliveries.ts';
import type { Attempt } from '@flotilla/domain/records/journal/attempt-line.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { type LiveCall, type LiveClient, openLive } from '@flotilla/testing/live-client.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { LiveStream } from './live-stream.ts';

const NOW_S = Math.floor(Date.now() / 1000);

const api = testApi();
/** Stands in for the worker: it takes updates in, and settles attempts. */
let worker: Context;
let pod: Awaited<ReturnType<typeof api.startPod>>;
let lastUpdate = 0;
let accounts = 0;
const open: LiveClient[] = [];
let server: Server | null = null;

beforeAll(async () => {
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
  pod = await api.startPod();
});
afterEach(async () => {
  for (const client of open.splice(0)) client.close();
  server?.close();
  await waitFor(async () => (await readMetric(api, 'flotilla_live_streams')) === 0);
});

async function watch(topics: string, call: LiveCall & { url?: string } = {}): Promise<LiveClient> {
  const { url = api.url, ...rest } = call;
  const client = await openLive(url, topics, rest.cookie === undefined ? { key: ADMIN_KEY, ...rest } : rest);
  open.push(client);
  if (client.status === 200) await waitFor(() => client.lastEventId() !== '');
  return client;
}

const update = (id: number, chat: number, text: string) =>
  `{"update_id":${id},\r\n"message":{"message_id":${id},"date":${NOW_S},"big":9007199254740993,"chat":{"id":${chat},"type":"private"},"text":"${text}"}}`;

/** Takes in one update for each of the chats; returns their ids. */
async function accept(bot: BotResource, chats: number[], text = 'Hi'): Promise<number[]> {
  await worker.directory.refresh();
  const ids = chats.map(() => {
    lastUpdate += 1;
    return lastUpdate;
  });
  const raws = chats.map((chat, at) => update(ids[at]!, chat, text));
  const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join(',')}]}`);
  const accepted = await acceptUpdates(worker, worker.directory.byId(bot.id)!, sliced!.updates);
  expect(accepted).toMatchObject({ outcome: 'accepted', appended: chats.length });
  return ids;
}

const updateIds = (...clients: LiveClient[]) =>
  clients.flatMap((client) => client.named('update').map(({ data }) => data.update_id));
const gaps = (client: LiveClient) => client.named('gap').length;

const attemptOf = (updateId: number, outcome: 'delivered' | 'failed'): Attempt => ({
  ...{ atMs: Date.now(), updateId, chatId: null, attempt: 1, revision: 1, durationMs: 3, outcome },
  ...(outcome === 'failed' ? { status: 502, error: 'Bad' } : { status: 200 }),
});

/** Settles these attempts as a turn of push does. */
async function settle(bot: BotResource, attempts: Attempt[]): Promise<void> {
  const known = worker.directory.byId(bot.id)!;
  const claim = { name: `${Math.random()}`, limit: 1, trim: false, end: null, ownsTurn: () => true };
  const begun = await claimDeliveries(worker, known, { ...claim, fencingToken: null }, []);
  if (begun.outcome !== 'claimed') throw new Error('the bot has no turn');
  const unit = begun.units[0]!;
  const settled = attempts.map((attempt) =>
    attempt.error === undefined
      ? { unit, outcome: 'delivered' as const, attempts: [attempt] }
      : { unit, outcome: 'waits' as const, atMs: 0, attempts: [attempt] },
  );
  const token = { ...claim, name: `${Math.random()}`, fencingToken: begun.fencingToken };
  await claimDeliveries(worker, known, token, settled);
}

async function somebody(bots: number[]): Promise<TestAccount> {
  accounts += 1;
  return insertAccount(api.database.db, { username: `watcher-${accounts}`, bots });
}

async function cookieOf(username: string, password: string): Promise<string> {
  const signedIn = await restClient(api.url)('POST', '/api/auth/login', { body: { username, password } });
  return signedIn.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

describe('a live stream', () => {
  test('shows the updates of a bot with the platform’s own bytes, and of a chat only its own', async () => {
    const bot = await api.addBot();
    const [all, chat] = [await watch(`bot:${bot.id}`), await watch(`chat:${bot.id}:-7`)];
    expect(all.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    const ids = await accept(bot, [5, -7]);
    await waitFor(() => updateIds(all, chat).length === 3);
    expect(updateIds(all)).toEqual(ids);
    expect(updateIds(chat)).toEqual([ids[1]]);
    expect(all.named('update')[0]?.data).toEqual({
      ...{ bot_id: bot.id, update_id: ids[0], kind: 'message', chat_id: 5 },
      update: expect.objectContaining({ update_id: ids[0] }),
    });
    // A parser would round the number.
    expect(all.text()).toContain('"big":9007199254740993');
  });

  test('shows the calls of a bot that the history keeps', async () => {
    const bot = await api.addBot();
    const person = await api.platform.createPerson({});
    await api.platform.startBot({ person: person.id, bot: Number(bot.token.split(':', 1)[0]) });
    const client = await watch(`chat:${bot.id}:${person.id},chat:${bot.id}:1`);
    const call = (method: string, query: string) => fetch(`${api.url}/tgapi/bot${bot.token}/${method}?${query}`);
    expect((await call('sendMessage', `chat_id=${person.id}&text=Hello`)).status).toBe(200);
    await waitFor(() => client.named('call').length === 1);
    expect(client.events.at(-1)?.data).toMatchObject({
      ...{ bot_id: bot.id, method: 'sendMessage', chat_id: person.id, result: { text: 'Hello' } },
    });
  });

  test('shows attempts to those who ask for them', async () => {
    const bot = await api.addBot({ proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' });
    const [attempts, others] = [await watch(`attempts:${bot.id}`), await watch(`bot:${bot.id}`)];
    const [id] = await accept(bot, [5]);
    await settle(bot, [attemptOf(id!, 'failed')]);
    await waitFor(() => attempts.events.length === 1);
    const shown = { reader: 'push', update_id: id, ok: false, status: 502, duration_ms: 3, attempt: 1, error: 'Bad' };
    expect(attempts.events.map(({ event, data }) => [event, data])).toEqual([
      ['attempt', { bot_id: bot.id, ...shown }],
    ]);
    expect(others.named('attempt')).toEqual([]);
    const { key } = await somebody([bot.id]);
    const limited = await watch(`attempts:${bot.id}`, { key });
    await accept(bot, [6]);
    await settle(bot, [{ ...attemptOf(id!, 'failed'), destination: `rule 8, bot ${bot.id + 1}` }]);
    await waitFor(() => limited.named('attempt').length === 1);
    expect(limited.named('attempt')[0]?.data).toMatchObject({ destination: 'rule 8' });
    expect(attempts.named('attempt')[1]?.data).toMatchObject({ destination: `rule 8, bot ${bot.id + 1}` });
  });

  test('keeps nothing of a bot that nobody watches', async () => {
    const bot = await api.addBot();
    const { live, state } = botKeys(bot.id);
    await accept(bot, [5]);
    expect(await worker.redis.commands.exists(live)).toBe(0);
    await watch(`bot:${bot.id}`);
    await worker.redis.commands.hset(state, 'watchedUntil', Date.now() - 1);
    const length = await worker.redis.commands.xlen(live);
    await accept(bot, [5]);
    expect(await worker.redis.commands.xlen(live)).toBe(length);
    expect(await worker.redis.commands.pttl(live)).toBeGreaterThan(0);
  });

  test('reads the events of a bot once, however many watch it', async () => {
    const bot = await api.addBot();
    const crowd = await api.startPod({ LIVE_STREAMS_PER_ACCOUNT: '50' });
    const clients = await Promise.all(Array.from({ length: 50 }, () => watch(`bot:${bot.id}`, { url: crowd.url })));
    // A cluster would answer from any of its servers.
    const read = async () => {
      const stats = await Promise.all(worker.redis.servers().map((server) => server.info('commandstats')));
      return stats.reduce((sum, text) => sum + Number(/cmdstat_xrange:calls=(\d+)/.exec(text)?.[1] ?? 0), 0);
    };
    // A client that begins reads for itself, until it has got what is kept.
    const first = await accept(bot, [5]);
    await waitFor(() => updateIds(...clients).length === 50);
    const before = await read();
    const second = await accept(bot, [6]);
    await waitFor(() => updateIds(...clients).length === 100);
    for (const client of clients) expect(updateIds(client)).toEqual([...first, ...second]);
    expect((await read()) - before).toBeLessThan(20);
    await crowd.stop();
  });
});

describe('a client that reconnects with its last event', () => {
  test('misses none and gets none twice, at another replica', async () => {
    const [one, two] = [await api.addBot(), await api.addBot()];
    const topics = `bot:${one.id},bot:${two.id}`;
    const first = await watch(topics);
    const seen = [...(await accept(one, [5, 6])), ...(await accept(two, [5]))];
    await waitFor(() => updateIds(first).length === 3);
    first.close();
    const meanwhile = [...(await accept(two, [5, 6])), ...(await accept(one, [7]))];
    const second = await watch(topics, { url: pod.url, lastEventId: first.lastEventId() });
    const after = await accept(one, [8]);
    await waitFor(() => updateIds(first, second).length >= 7);
    expect(updateIds(first, second).sort()).toEqual([...seen, ...meanwhile, ...after].sort());
    expect([gaps(first), gaps(second)]).toEqual([0, 0]);
  });

  test('has missed nothing when it reconnects before its first event, or catches up on more than it may be ahead', async () => {
    const bot = await api.addBot();
    const first = await watch(`bot:${bot.id}`);
    first.close();
    const ids: number[] = [];
    for (let batch = 0; batch < 8; batch += 1) {
      ids.push(
        ...(await accept(
          bot,
          Array.from({ length: 20 }, () => 5),
          'x'.repeat(1000),
        )),
      );
    }
    const second = await watch(`bot:${bot.id}`, { url: pod.url, lastEventId: first.lastEventId() });
    await waitFor(() => updateIds(second).length === ids.length);
    expect(updateIds(second)).toEqual(ids);
    expect(second.named('skipped')).toEqual([]);
  });

  test('gets one gap if what it missed is not kept any more, and goes on from now', async () => {
    const [one, two] = [await api.addBot(), await api.addBot()];
    const topics = `bot:${one.id},bot:${two.id}`;
    const first = await watch(topics);
    first.close();
    for (const { id } of [one, two]) {
      await worker.redis.commands.hset(botKeys(id).state, 'watchedUntil', Date.now() - 1);
      await accept(id === one.id ? one : two, [5]);
    }
    const second = await watch(topics, { url: pod.url, lastEventId: first.lastEventId() });
    const ids = [...(await accept(one, [6])), ...(await accept(two, [6]))];
    await waitFor(() => updateIds(second).length === 2);
    expect(updateIds(second)).toEqual(ids);
    expect(second.events[0]?.event).toBe('gap');
    expect(gaps(second)).toBe(1);
  });

  test.each(['!', 'none-of-ours', Buffer.from('1:1-1 x').toString('base64url')])(
    'gets one gap for the id %s, which is none of ours',
    async (lastEventId) => {
      const bot = await api.addBot();
      const client = await watch(`bot:${bot.id}`, { lastEventId });
      await accept(bot, [5]);
      await waitFor(() => updateIds(client).length === 1);
      expect(gaps(client)).toBe(1);
    },
  );

  test('and one that stays gets one gap when Redis loses what it has not read', async () => {
    const bot = await api.addBot();
    const client = await watch(`bot:${bot.id}`);
    await worker.redis.commands.del(botKeys(bot.id).live);
    await accept(bot, [5]);
    await waitFor(() => gaps(client) === 1);
    const ids = await accept(bot, [6]);
    await waitFor(() => updateIds(client).length === 1);
    expect([updateIds(client), gaps(client)]).toEqual([ids, 1]);
  });
});

describe('the state of a bot', () => {
  test('is told when its settings change, with its secrets as the caller may see them', async () => {
    const bot = await api.addBot({ secret_token: 'a-secret-token' });
    const owner = await somebody([bot.id]);
    const clients = [
      await watch(`bot:${bot.id}`),
      await watch('fleet'),
      await watch(`bot:${bot.id}`, { url: pod.url, cookie: await cookieOf('admin', ADMIN_PASSWORD) }),
      await watch('fleet', { key: owner.key }),
    ];
    await api.admin('POST', '/api/bots/update', { body: { id: bot.id, name: 'Renamed' } });
    const renamed = (client: LiveClient) => client.named('bot').filter(({ data }) => data.name === 'Renamed');
    await waitFor(() => clients.every((client) => renamed(client).length > 0));
    const shown = clients.map((client) => botResource.answer.parse(renamed(client)[0]?.data));
    expect(shown.map(({ id }) => id)).toEqual([bot.id, bot.id, bot.id, bot.id]);
    expect(shown.map(({ token }) => token === bot.token)).toEqual([true, true, false, false]);
    for (const client of clients.slice(2)) {
      for (const secret of [bot.token, 'a-secret-token']) expect(client.text()).not.toContain(secret);
    }
  });

  test('is told when the backend fails, when the breaker opens and closes, and when the platform refuses the bot', async () => {
    const bot = await api.addBot({ proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' });
    const [fleet, own] = [await watch('fleet', { url: pod.url }), await watch(`bot:${bot.id}`)];
    const states = (client: LiveClient) =>
      client.named('bot').flatMap(({ data }) => (data.id === bot.id ? [data.backend_state] : []));
    await accept(bot, [5]);
    await settle(bot, [attemptOf(1, 'failed')]);
    await waitFor(() => states(fleet).at(-1) === 'failing' && states(own).at(-1) === 'failing');
    await worker.redis.commands.hset(botKeys(bot.id).state, 'failingSince', Date.now() - 11_000);
    await settle(bot, [attemptOf(1, 'failed')]);
    await waitFor(() => states(fleet).at(-1) === 'open' && states(own).at(-1) === 'open');
    await worker.redis.commands.hset(botKeys(bot.id).state, 'openUntil', 1);
    await settle(bot, [attemptOf(1, 'delivered')]);
    await waitFor(() => states(fleet).at(-1) === 'ok' && states(own).at(-1) === 'ok');
    const told = fleet.named('bot').length;
    await noteRefusal(worker, worker.directory.byId(bot.id)!, 'Unauthorized');
    await waitFor(() => fleet.named('bot').length > told);
  });

  test('is told after a reconnect if it changed meanwhile', async () => {
    const bot = await api.addBot();
    const first = await watch('fleet');
    await waitFor(async () => {
      await api.admin('POST', '/api/bots/update', { body: { id: bot.id, description: `${Math.random()}` } });
      return first.named('bot').length > 0;
    });
    first.close();
    await api.admin('POST', '/api/bots/update', { body: { id: bot.id, name: 'Renamed' } });
    const second = await watch('fleet', { url: pod.url, lastEventId: first.lastEventId() });
    await waitFor(() => second.named('bot').some(({ data }) => data.id === bot.id && data.name === 'Renamed'));
    expect(gaps(second)).toBe(0);
  });

  test('of other people’s bots is told to nobody', async () => {
    const [own, foreign] = [await api.addBot(), await api.addBot()];
    const client = await watch('fleet', { key: (await somebody([own.id])).key });
    await api.admin('POST', '/api/bots/update', { body: { id: foreign.id, name: 'Foreign' } });
    await api.admin('POST', '/api/bots/update', { body: { id: own.id, name: 'Own' } });
    await waitFor(() => client.named('bot').some(({ data }) => data.name === 'Own'));
    expect(client.named('bot').map(({ data }) => data.id)).not.toContain(foreign.id);
  });
});

test('the topic fleet shows the figures that GET /api/fleet shows to the same caller', async () => {
  const bot = await api.addBot();
  const clients = [await watch('fleet'), await watch('fleet', { key: (await somebody([bot.id])).key })];
  await waitFor(() => clients.every((client) => client.named('fleet').length > 0), { timeoutMs: 20_000 });
  const [all, own] = clients.map((client) => fleetResource.parse(client.named('fleet')[0]?.data));
  expect(all?.bots).toBeGreaterThan(1);
  expect(all?.replicas).toBeDefined();
  expect([own?.bots, own?.replicas]).toEqual([1, undefined]);
}, 30_000);

describe('topics', () => {
  const ask = async (topics: string, key = ADMIN_KEY) =>
    restClient(api.url, key)('GET', '/api/live', { query: { topics } });

  test('are refused with their faults if they are malformed, none or more than twenty', async () => {
    const many = Array.from({ length: 21 }, (_, at) => `bot:${at + 1}`).join();
    for (const topics of ['', 'bots:1', 'bot:0', 'bot:1:2', 'chat:1', 'bot:9999999999999999', 'fleet,', many]) {
      const answer = await ask(topics);
      expect({ topics, ...(answer.json as object) }).toMatchObject({
        ...{ topics, code: 'bad_request', details: [{ path: expect.stringMatching(/^topics/) }] },
      });
    }
  });

  test('of foreign bots are 403 before anything else is looked at, and 404 for an admin if the bot is not there', async () => {
    const [own, foreign] = [await api.addBot(), await api.addBot()];
    const { key } = await somebody([own.id]);
    for (const topic of [`bot:${foreign.id}`, `chat:${foreign.id}:5`, `attempts:${foreign.id}`, 'bot:999999']) {
      expect((await ask(`bot:${own.id},${topic}`, key)).status).toBe(403);
      expect((await ask(`nonsense,${topic}`, key)).status).toBe(403);
    }
    expect((await ask(`bot:${own.id}`, key)).status).toBe(200);
    expect((await ask('bot:999999')).status).toBe(404);
  });

  test('of a HEAD request open no stream', async () => {
    const answer = await restClient(api.url, ADMIN_KEY)('HEAD', '/api/live?topics=fleet');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });
});

describe('a stream ends', () => {
  test.each<[string, (who: TestAccount, cookie: string) => Promise<unknown>]>([
    [
      'when its session is signed out',
      (_who, cookie) => restClient(api.url)('POST', '/api/auth/logout', { headers: { cookie } }),
    ],
    ['when its account is deleted', ({ id }) => api.admin('POST', '/api/auth/users/delete', { body: { id } })],
    [
      'when its account loses a bot',
      ({ id }) => api.admin('POST', '/api/auth/users/update', { body: { id, bot_ids: [] } }),
    ],
    [
      'when its account becomes an admin',
      ({ id }) => api.admin('POST', '/api/auth/users/update', { body: { id, role: 'admin' } }),
    ],
  ])('%s', async (_title, happens) => {
    const bot = await api.addBot();
    const who = await somebody([bot.id]);
    const cookie = await cookieOf(who.username, who.password);
    const client = await watch('fleet', { url: pod.url, cookie });
    await happens(who, cookie);
    await waitFor(() => client.isEnded());
  });

  test('when a bot of its topics is deleted', async () => {
    const [one, two] = [await api.addBot(), await api.addBot()];
    const client = await watch(`bot:${one.id},chat:${two.id}:5`);
    await api.admin('POST', '/api/bots/delete', { body: { id: two.id } });
    await waitFor(() => client.isEnded());
    expect(await worker.redis.commands.exists(botKeys(two.id).live)).toBe(0);
  });

  test('when its process stops: the client is told to come back soon, and loses nothing', async () => {
    const bot = await api.addBot();
    const stopping = await api.startPod();
    const first = await watch(`bot:${bot.id}`, { url: stopping.url });
    await Promise.all([stopping.stop(), waitFor(() => first.isEnded())]);
    expect(first.text()).toMatch(/retry: 500\n\n$/);
    const ids = await accept(bot, [5]);
    const second = await watch(`bot:${bot.id}`, { lastEventId: first.lastEventId() });
    await waitFor(() => updateIds(second).length === 1);
    expect([updateIds(second), gaps(second)]).toEqual([ids, 0]);
  });
});

describe('the limits of streams', () => {
  test('refuse an account’s fifth stream with 429, and let it in when one has ended', async () => {
    const { key } = await somebody([]);
    const clients = [];
    for (let at = 0; at < 4; at += 1) clients.push(await watch('fleet', { key }));
    const answer = await restClient(api.url, key)('GET', '/api/live', { query: { topics: 'fleet' } });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '10']);
    expect(answer.headers.get('ratelimit')).toBe('"live-streams";r=0');
    expect(answer.json).toMatchObject({ code: 'too_many_requests', error: expect.stringContaining('4 live streams') });
    clients[0]?.close();
    await waitFor(async () => (await watch('fleet', { key })).status === 200);
  });

  test('do not count a client that goes while it is signed in', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, async () => (await somebody([])).key));
    for (const key of keys) {
      const head = `GET /api/live?topics=fleet HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      const client = connect(Number(new URL(api.url).port), '127.0.0.1', () =>
        client.write(head, () => client.destroy()),
      );
    }
    await watch('fleet', { key: (await somebody([])).key });
    await waitFor(async () => (await readMetric(api, 'flotilla_live_streams')) === 1);
  });

  test('refuse thousands of streams beyond those of the process', async () => {
    const small = await api.startPod({ LIVE_STREAMS: '3', LIVE_STREAMS_PER_ACCOUNT: '10' });
    for (let at = 0; at < 3; at += 1) await watch('fleet', { url: small.url });
    for (let round = 0; round < 20; round += 1) {
      const refused = await Promise.all(
        Array.from({ length: 100 }, () => openLive(small.url, 'fleet', { key: ADMIN_KEY })),
      );
      for (const client of refused) client.close();
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    }
    expect(await readMetric(small, 'flotilla_live_streams')).toBe(3);
    await small.stop();
  });

  test('skip what is above the rate of a stream, and say how much', async () => {
    const bot = await api.addBot();
    const client = await watch(`chat:${bot.id}:5`);
    client.pause();
    const ids: number[] = [];
    const beganAtMs = performance.now();
    for (let batch = 0; batch < 10; batch += 1) {
      ids.push(
        ...(await accept(
          bot,
          Array.from({ length: 50 }, () => 5),
          'x'.repeat(1000),
        )),
      );
    }
    client.resume();
    const skipped = () => client.named('skipped').reduce((sum, { data }) => sum + (data.count as number), 0);
    await waitFor(() => updateIds(client).length + skipped() === ids.length, { timeoutMs: 20_000 });
    expect(skipped()).toBeGreaterThan(0);
    const allowed = 65_536 + (32_768 * (performance.now() - beganAtMs)) / 1000;
    expect(client.text().length).toBeLessThan(allowed + 2000);
    // The stream goes on.
    const [last] = await accept(bot, [5]);
    await waitFor(() => updateIds(client).includes(last));
  }, 30_000);

  test('hold little in memory for a client that reads nothing, even while it catches up', async () => {
    const [leave, data] = [new AbortController(), JSON.stringify({ text: 'x'.repeat(10_000) })];
    const events = Array.from({ length: 2000 }, (_, at) => ({
      ...{ id: `${at}-0`, name: 'update' as const, chatId: null, data, bytes: data.length },
    }));
    const position = { bots: new Map<number, string>(), changesToMs: 0 };
    const answered = new Promise<{ response: ServerResponse; done: Promise<void> }>((resolve) => {
      server = createServer((_request, response) => {
        const stream = new LiveStream(response, { position, nowMs: Date.now });
        const shown = { all: true, attempts: false, chats: new Set<number>() };
        resolve({ response, done: stream.keptEvents(1, shown, events, leave.signal) });
      });
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const client = connect((server!.address() as AddressInfo).port, '127.0.0.1');
    client.pause();
    client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    const { response, done } = await answered;
    await waitFor(async () => {
      const before = position.bots.get(1);
      await new Promise((resolve) => setTimeout(resolve, 300));
      return before !== undefined && position.bots.get(1) === before;
    });
    expect(position.bots.get(1)).not.toBe(events.at(-1)?.id);
    expect(response.writableLength).toBeLessThanOrEqual(65_536);
    leave.abort();
    await expect(done).rejects.toThrow('aborted');
    client.destroy();
  });

  test('leave out an update that is too large, and say so', async () => {
    const bot = await api.addBot();
    const client = await watch(`bot:${bot.id}`);
    await accept(bot, [5], 'x'.repeat(33_000));
    const ids = await accept(bot, [5]);
    await waitFor(() => updateIds(client).length === 1);
    expect(updateIds(client)).toEqual(ids);
    expect(client.named('skipped').map(({ data }) => data)).toEqual([{ count: 1 }]);
  });
});
