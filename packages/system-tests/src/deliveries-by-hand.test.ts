import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import type { AttemptResource } from '@flotilla/contract/delivery-attempts.ts';
import { type RecordedRequest, startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const PATIENCE = { timeoutMs: 60_000 };

let fleet: Fleet;
let admin: RestClient;
let backend: TestBackend;
let bot: FleetBot;
let answer: (request: RecordedRequest) => number | Promise<number>;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  admin = restClient(fleet.url, ADMIN_KEY);
}, 180_000);
afterAll(() => fleet?.stop(), 180_000);
beforeEach(async () => {
  answer = () => 200;
  backend = await startBackend(async (request, response) => {
    response.writeHead(await answer(request)).end();
  });
  bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url, long_poll_enabled: false });
});
afterEach(() => backend?.stop());

let messages = 0;
const say = (text: string, chat = 5) => {
  messages += 1;
  const from = `{"id":${chat},"is_bot":false,"first_name":"Olga","last_name":"K."}`;
  const date = Math.floor(Date.now() / 1000);
  const raw = `{"message_id":${messages},"date":${date},"from":${from},"chat":{"id":${chat},"type":"private"},"text":"${text}"}`;
  return fleet.control.injectUpdate({ bot: bot.platformId, kind: 'message', raw });
};
const requestsWith = (text: string) => backend.requests.filter((request) => request.text.includes(`"${text}"`));
const untilThere = async (text: string, times = 1) => {
  await waitFor(() => requestsWith(text).length >= times, PATIENCE);
  return requestsWith(text).at(times - 1)!;
};
const idOf = ({ text }: RecordedRequest): number => JSON.parse(text).update_id;
const post = (path: string, body: object) => admin('POST', `/api/${path}`, { body: { bot_id: bot.id, ...body } });
const get = async <Row>(path: string, query: Record<string, string | number> = {}) => {
  const answered = await admin('GET', `/api/${path}`, { query: { bot_id: bot.id, ...query } });
  expect(answered.status).toBe(200);
  return answered.json as Row;
};
const replay = (id: number, to: object = { reader: 'push' }) => post('updates/replay', { update_id: id, ...to });
const isCopy = ({ headers }: RecordedRequest) => headers['flotilla-replay'] === '1';
const TAKEN_OVER = { status: 409, json: { error: expect.stringContaining('taken the chat over') } };
/** The history knows a chat a moment later than the backend. */
const untilTakenOver = () =>
  waitFor(async () => (await post('chats/takeover', { chat_id: 5, minutes: 5 })).status === 200, PATIENCE);
const once = <Answered extends { status: number }>(call: () => Promise<Answered>) =>
  waitFor(async () => {
    const answered = await call();
    // One a second is possible.
    return answered.status === 429 ? null : answered;
  }, PATIENCE) as Promise<Answered>;

describe('a replay', () => {
  test('is one marked copy for the backend, which nothing counts, and stands in the audit log', async () => {
    await say('first');
    const given = await untilThere('first');
    const id = idOf(given);
    await waitFor(async () => (await get<AttemptResource[]>('deliveries/attempts')).length === 1, PATIENCE);
    const counted = async () => {
      const [activity, bots] = await Promise.all([
        get<{ delivered: number }[]>('activity', { step: 'hour' }),
        get<object[]>('bots/readers'),
      ]);
      return { delivered: activity.reduce((sum, { delivered }) => sum + delivered, 0), bots };
    };
    const before = await counted();
    expect(await once(() => replay(id))).toMatchObject({
      status: 200,
      json: { reader: 'push', update_id: id, chat_id: 5, ok: true, status: 200, attempt: 1, replay: true },
    });
    const copy = await untilThere('first', 2);
    expect(copy.text).toBe(given.text);
    expect(copy.headers).toMatchObject({
      'flotilla-replay': '1',
      'flotilla-delivery-id': expect.stringMatching(`^${bot.id}-${id}-`),
    });
    expect(given.headers['flotilla-replay']).toBeUndefined();
    expect((await counted()).delivered).toBe(before.delivered);
    expect(await get('adminlog', { action: 'update_replay' })).toMatchObject([{ details: `update_id: ${id}` }]);
    const shown = await get<{ readers: { attempts: AttemptResource[] }[] }>('updates/show', { update_id: id });
    expect(shown.readers[0]!.attempts.map(({ replay: isCopy }) => isCopy)).toEqual([undefined, true]);
  });

  test('that fails is not repeated, makes no dead letter, and says nothing about the state of the backend', async () => {
    await say('once');
    const id = idOf(await untilThere('once'));
    answer = (request) => (isCopy(request) ? 500 : 200);
    expect(await once(() => replay(id))).toMatchObject({ status: 200, json: { ok: false, status: 500, replay: true } });
    await say('later');
    await untilThere('later');
    expect(requestsWith('once')).toHaveLength(2);
    expect(await get('deliveries')).toEqual([]);
    expect(await get('attention')).toEqual([]);
  });

  test('goes to a program that had the update, and to no reader that did not', async () => {
    const own = await startBackend();
    try {
      const add = async (name: string, filter: object) =>
        (await post('programs/add', { name, mode: 'push', backend_url: own.url, filter })).json as { id: number };
      const [sees, blind] = [await add('sees', {}), await add('blind', { chat_ids: [6] })];
      const pulls = (await post('programs/add', { name: 'pulls', mode: 'pull' })).json as { id: number };
      await waitFor(async () => {
        await say('both');
        return own.requests.length > 0;
      }, PATIENCE);
      const id = idOf(own.requests[0]!);
      const many = own.requests.length;
      expect(await once(() => replay(id, { program_id: sees.id }))).toMatchObject({
        status: 200,
        json: { reader: 'program', program_id: sees.id, replay: true },
      });
      expect(own.requests.slice(many).filter(isCopy)).toHaveLength(1);
      expect(await once(() => replay(id, { program_id: blind.id }))).toMatchObject({ status: 409 });
      expect(await once(() => replay(id, { program_id: pulls.id }))).toMatchObject({ status: 400 });
      expect(await once(() => replay(999_999_999))).toMatchObject({ status: 404 });
      expect(await once(() => replay(id, {}))).toMatchObject({ status: 400 });
      // The program may have it earlier than the bot's backend.
      await waitFor(() => backend.requests.some((one) => idOf(one) === id), PATIENCE);
      await untilTakenOver();
      expect(await once(() => replay(id))).toMatchObject(TAKEN_OVER);
      expect(requestsWith('both').filter(isCopy)).toEqual([]);
    } finally {
      await own.stop();
    }
  });

  test('that waits in its lane while the chat is taken over is not sent', async () => {
    await say('old');
    const id = idOf(await untilThere('old'));
    const { promise: mayAnswer, resolve: answerSlow } = Promise.withResolvers<number>();
    answer = ({ text }) => (text.includes('"slow"') ? mayAnswer : 200);
    await say('slow');
    await untilThere('slow');
    await untilTakenOver();
    await post('chats/release', { chat_id: 5, deliver_missed: false });
    const replayed = once(() => replay(id));
    await waitFor(async () => (await get<object[]>('adminlog', { action: 'update_replay' })).length === 1, PATIENCE);
    await untilTakenOver();
    answerSlow(200);
    expect(await replayed).toMatchObject(TAKEN_OVER);
    expect(requestsWith('old')).toHaveLength(1);
    await post('chats/release', { chat_id: 5, deliver_missed: false });
    expect(await once(() => replay(id))).toMatchObject({ status: 200, json: { ok: true, replay: true } });
    expect(requestsWith('old')).toHaveLength(2);
  });

  test('is not sent again when the worker that sent it dies', async () => {
    await say('mortal');
    const id = idOf(await untilThere('mortal'));
    answer = (request) => (isCopy(request) ? new Promise<number>(() => undefined) : 200);
    const replayed = once(() => replay(id));
    await untilThere('mortal', 2);
    await fleet.workers.pop()!.kill();
    await fleet.start('worker');
    await say('after');
    await untilThere('after');
    expect(await replayed).toMatchObject({ status: 503, json: { error: expect.stringContaining('may have it') } });
    expect(requestsWith('mortal').filter(isCopy)).toHaveLength(1);
  });
});

describe('updates that are retried', () => {
  const retrying = () => get<DeliveryResource[]>('deliveries', { state: 'retrying' });
  const untilRetried = async (text: string) => {
    await untilThere(text, 2);
    const [row] = (await waitFor(async () => {
      const rows = await retrying();
      return rows.some(({ excerpt }) => excerpt === text) && rows;
    }, PATIENCE)) as DeliveryResource[];
    return row!;
  };

  test('say who wrote them and what, are tried at once, or skipped so that the next of their chat goes on', async () => {
    answer = ({ text }) => (text.includes('"stuck"') ? 502 : 200);
    await say('stuck');
    const row = await untilRetried('stuck');
    expect(row).toMatchObject({
      chat_id: 5,
      kind: 'message',
      person_name: 'Olga K.',
      excerpt: 'stuck',
      reader: 'push',
    });
    await say('behind');
    const chosen = { reader: 'push', update_ids: [row.update_id] };
    // Until the delay is so long that only this call explains the next attempt.
    await untilThere('stuck', 4);
    const before = await waitFor(async () => (await retrying()).find(({ attempts }) => attempts >= 4), PATIENCE);
    expect(Date.parse(before!.next_attempt_at!)).toBeGreaterThan(Date.now());
    expect(await post('deliveries/try-now', chosen)).toMatchObject({ json: { ok: true, done: 1, refused: 0 } });
    await waitFor(async () => ((await retrying())[0]?.attempts ?? 0) > before!.attempts, PATIENCE);
    expect(await replay(row.update_id)).toMatchObject({ status: 409 });
    await waitFor(async () => {
      const skipped = await post('deliveries/skip', chosen);
      return (skipped.json as { done: number }).done === 1;
    }, PATIENCE);
    await untilThere('behind');
    const dead = await waitFor(async () => {
      const rows = await get<DeliveryResource[]>('deliveries', { state: 'dead' });
      return rows.length > 0 && rows;
    }, PATIENCE);
    expect(dead).toMatchObject([
      { update_id: row.update_id, reason_code: 'skipped', last_status: 502, excerpt: 'stuck' },
    ]);
    expect(await post('deliveries/skip', chosen)).toMatchObject({ json: { done: 0, refused: 1 } });
    for (const action of ['delivery_try', 'delivery_skip']) expect(await get('adminlog', { action })).toHaveLength(1);
  });
});
