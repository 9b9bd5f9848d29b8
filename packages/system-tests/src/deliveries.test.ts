import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { everythingInPostgres, everythingInRedis } from '@flotilla/testing/everything-stored.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

type Delivery = {
  id?: number;
  bot_id: number;
  update_id: number;
  state: string;
  attempts: number;
  last_status?: number;
  reader: string;
  reason_code: string;
  last_error: string;
  first_failed_at?: string;
  last_failed_at?: string;
  response_excerpt?: string;
  next_attempt_at?: string;
  expires_at?: string;
};
type ShownBot = {
  id: number;
  proxy_enabled: boolean;
  backend_url: string;
  backend_state: string;
  last_error: string;
  last_error_at?: string;
};
type Attempt = {
  id: string;
  update_id: number;
  chat_id?: number;
  status: number;
  error?: string;
  duration_ms: number;
  request?: { method: string; url: string; headers: Record<string, string> };
  response_content_type?: string;
  response_excerpt?: string;
};

/** The breaker opens after 10 s, and a probe follows some seconds later. */
const STATE_WITHIN = { timeoutMs: 40_000 };

let fleet: Fleet;
let db: Database;
let redis: RedisHandles;
const backends: TestBackend[] = [];

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  db = connectDatabase({ url: fleet.database.url, maxConnections: 1 });
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
}, 60_000);
afterAll(async () => {
  await Promise.all(backends.map((backend) => backend.stop()));
  await db.destroy();
  await redis.close();
  await fleet.stop();
}, 60_000);

/** A backend of one test, which answers with its `status`. */
async function answering(status: number) {
  const backend = await startBackend((_request, response) => {
    response.writeHead(answers.status).end();
  });
  backends.push(backend);
  const answers = {
    status,
    backend,
    addBot: (fields: object = {}) => fleet.addBot({ proxy_enabled: true, backend_url: backend.url, ...fields }),
    texts: () => backend.requests.map(({ text }) => JSON.parse(text).message.text as string),
  };
  return answers;
}
const say = (bot: FleetBot, chat: number, text: string) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":${chat},"type":"private"},"text":"${text}"}`,
  });
const deliveries = (bot: FleetBot, query = '') => fleet.rest<Delivery[]>(`/api/deliveries?bot_id=${bot.id}${query}`);
const shown = async (bot: FleetBot) => (await fleet.rest<ShownBot[]>('/api/bots')).find(({ id }) => id === bot.id);

/** Stores the dead letters of pushes that gave up, as the history writer does. */
async function giveUp(bot: FleetBot, updates: [id: number, text: string][]): Promise<void> {
  await db
    .insertInto('dead_letters')
    .values(
      updates.map(([id, text]) => ({
        bot_id: bot.id,
        reader: 'push',
        update_id: id,
        payload: `{"update_id":${id},\n"message":{"message_id":${id},"chat":{"id":5,"type":"private"},"text":"${text}"}}`,
        reason: 'Read timeout expired',
        reason_code: 'timed_out',
        attempts: 9,
      })),
    )
    .execute();
}

/** All but the last run in parallel, because each waits for a retry; no two of them share a bot or a backend. */
describe('deliveries', () => {
  test.concurrent('what is tried again is listed, with its last answer and its next try; the attempts say what happened', async () => {
    const backend = await answering(503);
    const bot = await backend.addBot();
    await say(bot, 5, 'hello');
    const delivery = await waitFor(async () =>
      (await deliveries(bot, '&state=retrying')).find(({ attempts }) => attempts >= 2),
    );
    expect(delivery).toMatchObject({
      state: 'retrying',
      last_status: 503,
      reader: 'push',
      reason_code: 'refused',
      last_error: 'Wrong response from the webhook: 503 Service Unavailable',
      next_attempt_at: expect.any(String),
    });
    const firstMs = Date.parse(delivery?.first_failed_at ?? '');
    expect(Date.parse(delivery?.last_failed_at ?? '')).toBeGreaterThanOrEqual(firstMs);
    // A message expires 24 h after its date, which has whole seconds.
    expect(Math.abs(Date.parse(delivery?.expires_at ?? '') - firstMs - 86_400_000)).toBeLessThan(60_000);
    const attempts = await fleet.rest<Attempt[]>(`/api/deliveries/attempts?bot_id=${bot.id}`);
    expect(attempts.length).toBeGreaterThanOrEqual(2);
    expect(attempts[0]).toMatchObject({ update_id: delivery?.update_id, status: 503, error: expect.any(String) });
    backend.status = 200;
    await waitFor(async () => (await deliveries(bot)).length === 0, { timeoutMs: 20_000 });
    const [last] = await fleet.rest<Attempt[]>(`/api/deliveries/attempts?bot_id=${bot.id}`);
    expect(last).toMatchObject({ status: 200 });
    expect(last).not.toHaveProperty('error');
  });

  test.concurrent('the state of a backend is shown, on the bot and to its program, whose last error stays when it is well again', async () => {
    const backend = await answering(500);
    const bot = await backend.addBot();
    const info = async () => {
      const response = await fetch(`${fleet.url}/tgapi/bot${bot.token}/getWebhookInfo`);
      return ((await response.json()) as { result: { backend_state?: string } }).result;
    };
    const isInState = (state: string) => waitFor(async () => (await shown(bot))?.backend_state === state, STATE_WITHIN);
    await isInState('ok');
    expect(await info()).not.toHaveProperty('last_error_message');
    await say(bot, 5, 'hello');
    await isInState('failing');
    await isInState('open');
    const failed = {
      last_error_date: expect.any(Number),
      last_error_message: 'Wrong response from the webhook: 500 Internal Server Error',
    };
    expect(await info()).toMatchObject({ ...failed, backend_state: 'open', pending_update_count: 1 });
    expect(await shown(bot)).toMatchObject({
      last_error: failed.last_error_message,
      last_error_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    backend.status = 200;
    await isInState('ok');
    expect(await info()).toMatchObject({ ...failed, pending_update_count: 0 });
    expect(await info()).not.toHaveProperty('backend_state');
    expect(await shown(bot)).toMatchObject({ last_error: '' });
    expect(await shown(bot)).not.toHaveProperty('last_error_at');
  }, 120_000);

  test.concurrent('an inline query is given up after its 30 s, with the code, the times and the number of its tries', async () => {
    const backend = await answering(503);
    const bot = await backend.addBot();
    await fleet.control.injectUpdate({
      bot: bot.platformId,
      kind: 'inline_query',
      raw: '{"id":"1","from":{"id":5,"is_bot":false,"first_name":"Ada"},"query":"q","offset":""}',
    });
    const dead = await waitFor(async () => (await deliveries(bot, '&state=dead'))[0], { timeoutMs: 60_000 });
    expect(dead).toMatchObject({
      reader: 'push',
      last_status: 503,
      reason_code: expect.stringMatching(/^(refused|expired)$/),
    });
    expect(dead?.attempts).toBeGreaterThan(1);
    expect(Date.parse(dead?.last_failed_at ?? '')).toBeGreaterThan(Date.parse(dead?.first_failed_at ?? ''));
    expect(dead).not.toHaveProperty('expires_at');
  }, 90_000);

  test.concurrent('a backend that cannot be reached and one that lies where none may are told apart by their codes', async () => {
    const { backend, addBot } = await answering(200);
    const bot = await addBot();
    await backend.stop();
    await say(bot, 5, 'nobody listens');
    const first = await waitFor(async () => (await deliveries(bot, '&state=retrying'))[0]);
    expect(first).toMatchObject({ reason_code: 'unreachable', reader: 'push' });
    expect(first).not.toHaveProperty('last_status');
  });

  test.concurrent('attempts show the request and the beginning of a failed answer, and no secret that the backend echoes', async () => {
    const echo: { token: string } = { token: '' };
    const backend = await startBackend((request, response) => {
      response.writeHead(status, { 'content-type': 'text/plain' });
      response.end(`echo of ${request.url} ${JSON.stringify(request.headers)} for ${echo.token} ${'x'.repeat(5000)}`);
    });
    backends.push(backend);
    let status = 500;
    const url = backend.url.replace('://', '://anna:pass-w0rd@');
    const secrets = { secret_token: 'a-secret-token', backend_url: `${url}/hook?key=secret-of-the-query` };
    const bot = await fleet.addBot({ proxy_enabled: true, ...secrets });
    echo.token = bot.token;
    await say(bot, 5, 'hello');
    const attempts = () => fleet.rest<Attempt[]>(`/api/deliveries/attempts?bot_id=${bot.id}`);
    const failed = await waitFor(async () => (await attempts()).find((one) => one.response_excerpt !== undefined));
    expect(failed).toMatchObject({
      chat_id: 5,
      status: 500,
      response_content_type: 'text/plain',
      response_excerpt: expect.stringMatching(/^echo of \/hook\?key=/),
      request: {
        method: 'POST',
        url: `${backend.url.replace('://', '://****@')}/hook?key=****`,
        headers: {
          'Content-Type': 'application/json',
          'X-Telegram-Bot-Api-Secret-Token': '****',
          'Flotilla-Delivery-Id': `${bot.id}-${failed?.update_id}`,
          Authorization: 'Basic ****',
        },
      },
    });
    expect(failed?.response_excerpt).toHaveLength(1024);
    const retrying = await waitFor(async () => (await deliveries(bot, '&state=retrying'))[0]);
    expect(retrying?.response_excerpt).toMatch(/^echo of/);
    await fleet.control.injectUpdate({
      bot: bot.platformId,
      kind: 'inline_query',
      raw: '{"id":"2","from":{"id":6,"is_bot":false,"first_name":"Ada"},"query":"q","offset":""}',
    });
    const dead = await waitFor(async () => (await deliveries(bot, '&state=dead'))[0], { timeoutMs: 60_000 });
    expect(dead?.response_excerpt).toMatch(/^echo of/);
    // All that Redis and Postgres have of it, and all that REST shows.
    const stored = [await everythingInPostgres(db), await everythingInRedis(redis.commands)].join();
    const shownTexts = JSON.stringify([await attempts(), await deliveries(bot)]);
    const basic = Buffer.from('anna:pass-w0rd').toString('base64');
    for (const secret of [bot.token.split(':')[1]!, 'a-secret-token', 'secret-of-the-query', 'pass-w0rd', basic]) {
      expect(shownTexts).not.toContain(secret);
      expect(stored).not.toContain(secret);
    }
    status = 200;
    await fleet.rest('/api/bots/update', { id: bot.id, name: 'renamed' });
    expect((await attempts()).every(({ request }) => request === undefined)).toBe(true);
  }, 120_000);

  test.concurrent('the newest twenty failed answers are kept', async () => {
    const backend = await startBackend((_request, response) => void response.writeHead(500).end('no'));
    backends.push(backend);
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
    await fleet.control.generate({ bots: [bot.platformId], chats: 30, count: 30 });
    const attempts = () => fleet.rest<Attempt[]>(`/api/deliveries/attempts?bot_id=${bot.id}`);
    await waitFor(async () => (await attempts()).length >= 40, { timeoutMs: 20_000 });
    await waitFor(async () => (await attempts()).filter((one) => one.response_excerpt === 'no').length === 20);
    expect(await redis.commands.llen(botKeys(bot.id).excerpts)).toBe(20);
    expect(await redis.commands.pttl(botKeys(bot.id).excerpts)).toBeGreaterThan(0);
    const ids = (await attempts()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.concurrent('a backend that says for 23 hours that it is gone is taken for removed, and what waits is kept', async () => {
    const backend = await answering(410);
    const bot = await backend.addBot({ long_poll_enabled: true });
    await say(bot, 5, 'for nobody');
    const { state } = botKeys(bot.id);
    await waitFor(async () => (await redis.commands.hget(state, 'goneSince')) !== null);
    await redis.commands.hset(state, 'goneSince', Date.now() - 24 * 3_600_000);
    await waitFor(async () => (await shown(bot))?.proxy_enabled === false, { timeoutMs: 20_000 });
    expect(await shown(bot)).toMatchObject({ backend_url: '' });
    const { result } = await fleet.rest<{ result: object[] }>(`/api/updates/poll?bot_id=${bot.id}&timeout=0`);
    expect(result).toMatchObject([{ message: { text: 'for nobody' } }]);
  });

  test.concurrent('dead letters are sent again in the order of their updates, behind what waits in their lane', async () => {
    const { backend, addBot, texts } = await answering(200);
    const bot = await addBot();
    await giveUp(bot, [
      [12, 'second'],
      [11, 'first'],
      [13, 'third'],
    ]);
    expect((await deliveries(bot, '&state=dead')).map(({ update_id }) => update_id)).toEqual([13, 11, 12]);
    expect(await fleet.rest('/api/deliveries/redrive', { bot_id: bot.id })).toMatchObject({ ok: true, redriven: 3 });
    await waitFor(() => texts().length === 3);
    expect(texts()).toEqual(['first', 'second', 'third']);
    expect(backend.requests.map(({ headers }) => headers['flotilla-delivery-id'])).toEqual(
      [11, 12, 13].map((id) => `${bot.id}-${id}`),
    );
    expect(await deliveries(bot)).toEqual([]);
  });

  test.concurrent('one dead letter can be sent again by its id, and stays undelivered while the backend fails', async () => {
    const backend = await answering(500);
    const bot = await backend.addBot();
    await giveUp(bot, [
      [21, 'kept'],
      [22, 'again'],
    ]);
    const wanted = (await deliveries(bot)).find(({ update_id }) => update_id === 22);
    expect(await fleet.rest('/api/deliveries/redrive', { bot_id: bot.id, ids: [wanted?.id] })).toMatchObject({
      redriven: 1,
    });
    const tries = () => backend.texts().filter((text) => text === 'again').length;
    await waitFor(() => tries() > 0);
    await waitFor(async () => (await deliveries(bot, '&state=retrying')).some(({ update_id }) => update_id === 22));
    expect((await deliveries(bot, '&state=dead')).map(({ update_id }) => update_id)).toEqual([21]);
    backend.status = 200;
    const failed = tries();
    await waitFor(() => tries() > failed);
  });

  test.concurrent('a redriven update whose backend is removed is a dead letter again', async () => {
    const backend = await answering(500);
    const bot = await backend.addBot({ long_poll_enabled: true });
    await giveUp(bot, [[31, 'homeless']]);
    await fleet.rest('/api/deliveries/redrive', { bot_id: bot.id });
    await waitFor(() => backend.texts().includes('homeless'));
    expect(await deliveries(bot, '&state=dead')).toEqual([]);
    await fleet.rest('/api/bots/update', { id: bot.id, proxy_enabled: false });
    // Removing the backend wakes no turn: upkeep finds the pending turn.
    await waitFor(async () => (await deliveries(bot, '&state=dead')).length === 1, { timeoutMs: 25_000 });
  });

  test('a redrive of 2,000 over three bots whose api is killed goes on: exactly these are sent, in order and once', async () => {
    const { addBot, texts } = await answering(200);
    const bots = [await addBot(), await addBot(), await addBot()];
    const updates = Array.from({ length: 2000 }, (_, at) => ({
      bot: bots[at % 3]!,
      id: 5000 - at,
      chat: (at % 4) + 1,
    }));
    const letter = ({ bot, id, chat }: (typeof updates)[number], code = 'refused') => ({
      ...{ bot_id: bot.id, reader: 'push', update_id: id, reason: 'of this test', reason_code: code, attempts: 1 },
      payload: `{"update_id":${id},"message":{"message_id":${id},"chat":{"id":${chat}},"text":"${bot.id} ${chat} ${id}"}}`,
    });
    await db
      .insertInto('dead_letters')
      .values(updates.map((update) => letter(update)))
      .execute();
    const other = letter({ bot: bots[0]!, id: 1, chat: 1 }, 'expired');
    await db.insertInto('dead_letters').values(other).execute();
    const doomed = await fleet.start('api');
    const holding = connectDatabase({ url: fleet.database.url, maxConnections: 1 });
    const jobs = () => db.selectFrom('delivery_jobs').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst();
    await holding
      .transaction()
      .execute(async (transaction) => {
        // The lock stops the redrive between its batches.
        const last = transaction.selectFrom('dead_letters').select('id').where('bot_id', '=', bots[2]!.id);
        await last.orderBy('update_id', 'desc').limit(1).forUpdate().executeTakeFirstOrThrow();
        const asked = fetch(`http://127.0.0.1:${doomed.port}/api/deliveries/redrive`, {
          method: 'POST',
          headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify({ filter: { reason_code: 'refused', q: 'of this test' } }),
        }).catch(() => null);
        await waitFor(async () => ((await jobs())?.done ?? 0) >= 1600, { timeoutMs: 20_000 });
        await doomed.kill();
        fleet.apis.splice(fleet.apis.indexOf(doomed), 1);
        expect(await asked).toBeNull();
      })
      .finally(() => holding.destroy());
    expect((await jobs())!.finished_at).toBeNull();
    // The job has not reached its place yet.
    const late = letter({ bot: bots[2]!, id: 6000, chat: 1 });
    await db.insertInto('dead_letters').values(late).execute();
    await fleet.start('api');
    await waitFor(async () => (await jobs())!.finished_at !== null, { timeoutMs: 40_000 });
    await waitFor(() => texts().length >= 2000, { timeoutMs: 60_000 });
    const expected = updates.map(({ bot, id, chat }) => `${bot.id} ${chat} ${id}`);
    expect([...texts()].sort()).toEqual(expected.sort());
    for (const bot of bots) {
      for (const chat of [1, 2, 3, 4]) {
        const ids = texts().flatMap((text) =>
          text.startsWith(`${bot.id} ${chat} `) ? [Number(text.split(' ')[2])] : [],
        );
        expect(ids).toEqual([...ids].sort((one, next) => one - next));
      }
    }
    expect(await jobs()).toMatchObject({ matched: 2000, done: 2000, refused: 0 });
    const rest = await fleet.rest<Delivery[]>('/api/deliveries?state=dead&reader=push');
    const ofThese = rest.filter(({ bot_id: id }) => bots.some((bot) => bot.id === id));
    expect(ofThese.map(({ update_id: id }) => id).sort()).toEqual([1, 6000]);
    const audited = await fleet.rest<{ bot_id: number; details: string }[]>('/api/adminlog?action=redrive&limit=3');
    expect(audited.map(({ details }) => details).reverse()).toEqual(
      [667, 667, 666].map((count) => `reason_code: "refused"; q: "of this test"; ${count} matched`),
    );
  }, 150_000);
});
