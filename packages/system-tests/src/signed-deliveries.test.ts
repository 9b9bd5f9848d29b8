import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { SEALED_PLACES } from '@flotilla/domain/fleet/bots/sealed-bot.ts';
import { newSigning, openSigning, sealSigning } from '@flotilla/domain/fleet/bots/signing.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { type RecordedRequest, startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { everythingInPostgres, everythingInRedis } from '@flotilla/testing/everything-stored.ts';
import { FLEET_ENCRYPTION_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { verifies } from './verifies.ts';

const PATIENCE = { timeoutMs: 60_000 };
const secrets = secretBox(FLEET_ENCRYPTION_KEY);

let fleet: Fleet;
let db: Database;
let redis: RedisHandles;
let backend: TestBackend;
let answer: (request: RecordedRequest) => { status: number; body?: string };

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 2 });
  db = connectDatabase({ url: fleet.database.url, maxConnections: 1 });
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
}, 180_000);
afterAll(async () => {
  await db?.destroy();
  await redis?.close();
  await fleet?.stop();
}, 180_000);
beforeEach(async () => {
  answer = () => ({ status: 200 });
  backend = await startBackend((request, response) => {
    const { status, body = '' } = answer(request);
    response.writeHead(status).end(body);
  });
});
afterEach(() => backend?.stop());

const addBot = () => fleet.addBot({ proxy_enabled: true, backend_url: backend.url, secret_token: 'a-secret-token' });
const signing = <Answer>(change: 'rotate' | 'remove', { id }: FleetBot) =>
  fleet.rest<Answer>(`/api/bots/${change}-signing`, { bot_id: id });
const rotate = (bot: FleetBot) => signing<{ signing_secret: string; previous_valid_until?: string }>('rotate', bot);
const enable = async (bot: FleetBot) => (await rotate(bot)).signing_secret;
const say = (bot: FleetBot, text: string, chat = 5) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":${chat},"type":"private"},"text":"${text}"}`,
  });
const textOf = (request: RecordedRequest) => JSON.parse(request.text).message.text as string;
const untilThere = (text: string) =>
  waitFor(() => backend.requests.find((request) => request.text.includes(`"${text}"`)), PATIENCE);
const isSigned = ({ headers }: RecordedRequest) => Object.keys(headers).some((name) => name.startsWith('webhook-'));
/** A worker learns of a secret a moment after the answer: speaks until it has. */
const sayUntil = (bot: FleetBot, signed: boolean) =>
  waitFor(async () => {
    const text = `until ${performance.now()}`;
    await say(bot, text);
    return isSigned((await untilThere(text))!) === signed;
  }, PATIENCE);
const namesOf = ({ text }: RecordedRequest, bot: FleetBot) => `upd_${bot.id}_${JSON.parse(text).update_id}`;

describe('signed deliveries', () => {
  test('are verified by a library for receivers, with one id at every try, and only when they are wanted', async () => {
    const bot = await addBot();
    await say(bot, 'unsigned');
    expect(isSigned((await untilThere('unsigned'))!)).toBe(false);
    const secret = await enable(bot);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await sayUntil(bot, true);
    let tries = 0;
    answer = (request) => {
      tries += request.text.includes('"again"') ? 1 : 0;
      return { status: tries === 1 ? 503 : 200 };
    };
    await say(bot, 'again — ёж 😀');
    await say(bot, 'again');
    const all = await waitFor(
      () => backend.requests.filter((request) => request.text.includes('"again"')).length >= 2 && backend.requests,
      PATIENCE,
    );
    const signed = (all || []).filter((request) => textOf(request).startsWith('again'));
    expect(signed.map((request) => verifies(secret, request))).toEqual(signed.map(() => true));
    expect(signed.some((request) => verifies(newSigning().secret, request))).toBe(false);
    for (const request of signed) {
      expect(request.headers['webhook-id']).toBe(namesOf(request, bot));
      expect(request.headers['x-telegram-bot-api-secret-token']).toBe('a-secret-token');
      expect(request.headers['content-type']).toBe('application/json');
    }
    await signing('remove', bot);
    await sayUntil(bot, false);
  });

  test('that were dead letters are signed when they are sent again, under the id of their update', async () => {
    const bot = await addBot();
    const secret = await enable(bot);
    const letter = {
      ...{ bot_id: bot.id, reader: 'push', update_id: 77, reason: 'Read timeout expired', attempts: 9 },
      reason_code: 'timed_out',
      payload: '{"update_id":77,\n"message":{"message_id":1,"chat":{"id":5,"type":"private"},"text":"late"}}',
    };
    const { id } = await db.insertInto('dead_letters').values(letter).returning('id').executeTakeFirstOrThrow();
    await fleet.rest('/api/deliveries/redrive', { bot_id: bot.id, ids: [id] });
    const request = (await untilThere('late'))!;
    expect([verifies(secret, request), request.headers['webhook-id']]).toEqual([true, `upd_${bot.id}_77`]);
  });

  test('show their secret in no answer, attempt, log line or store, whatever the backend answers', async () => {
    const bot = await addBot();
    const secret = await enable(bot);
    const key = secret.slice('whsec_'.length);
    answer = () => ({ status: 500, body: `My settings: ${secret}, ${key}` });
    await say(bot, 'echoed');
    const request = (await untilThere('echoed'))!;
    const attempts = await waitFor(async () => {
      const found = await fleet.rest<{ request?: { headers: Record<string, string> }; response_excerpt?: string }[]>(
        `/api/deliveries/attempts?bot_id=${bot.id}`,
      );
      return found.at(-1)?.response_excerpt === undefined ? null : found;
    }, PATIENCE);
    const shown = attempts!.at(-1)!;
    expect(shown.request?.headers).toMatchObject({
      'webhook-id': namesOf(request, bot),
      'webhook-timestamp': request.headers['webhook-timestamp'],
      'webhook-signature': '****',
    });
    expect(shown.response_excerpt).toBe('My settings: [redacted], [redacted]');
    const tested = await fleet.rest<{ request: { headers: Record<string, string> } }>('/api/bots/test-delivery', {
      bot_id: bot.id,
    });
    const test = backend.requests.find(({ headers }) => headers['x-flotilla-test'] === '1')!;
    expect([verifies(secret, test), test.headers['webhook-id']]).toEqual([
      true,
      expect.stringMatching(new RegExp(`^test_${bot.id}-test-`)),
    ]);
    expect(tested.request.headers['webhook-signature']).toBe('****');
    const audit = await fleet.rest<{ action: string }[]>(`/api/adminlog?bot_id=${bot.id}`);
    expect(audit.map(({ action }) => action)).toContain('signing_enable');
    const told = [
      ...[attempts, tested, audit, await fleet.rest('/api/bots'), await fleet.rest(`/api/deliveries?bot_id=${bot.id}`)],
      ...[...fleet.apis, ...fleet.workers].map((process) => process.output()),
      await everythingInPostgres(db),
      ...(await Promise.all(redis.servers().map((server) => everythingInRedis(server as never)))),
    ];
    expect(JSON.stringify(told)).not.toContain(key);
  });

  test('that are in flight while the secret is rotated all arrive, and each verifies with the old one or the new', async () => {
    const bot = await addBot();
    const before = await enable(bot);
    await sayUntil(bot, true);
    const updates = () => backend.requests.filter((request) => textOf(request).startsWith('update '));
    const COUNT = 300;
    const saying = (async () => {
      for (let at = 0; at < COUNT; at++) await say(bot, `update ${at}`, 5 + (at % 20));
    })();
    await waitFor(() => updates().length > 20, PATIENCE);
    const { signing_secret: after, previous_valid_until: until } = await rotate(bot);
    expect(Math.abs(Date.parse(until ?? '') - Date.now() - 86_400_000)).toBeLessThan(60_000);
    await saying;
    await waitFor(() => new Set(updates().map(textOf)).size === COUNT, PATIENCE);
    const verified = updates().map((request) => [verifies(before, request), verifies(after, request)]);
    expect(verified.filter(([old]) => !old)).toEqual([]);
    expect(verified.filter(([, young]) => young).length).toBeGreaterThan(0);
    const twice = updates().at(-1)!.headers['webhook-signature'] as string;
    expect(twice.split(' ')).toHaveLength(2);
    const { signing_sealed } = await db
      .selectFrom('bots')
      .select('signing_sealed')
      .where('id', '=', bot.id)
      .executeTakeFirstOrThrow();
    const place = SEALED_PLACES.signing(bot.id);
    const stored = openSigning(secrets, signing_sealed, place)!;
    const over = { ...stored, previous: { ...stored.previous!, untilMs: Date.now() - 1 } };
    await setSealed(bot, sealSigning(secrets, over, place));
    await say(bot, 'a day later');
    const late = (await untilThere('a day later'))!;
    expect([verifies(before, late), verifies(after, late)]).toEqual([false, true]);
  });

  test('wait while the secret cannot be opened, say why, and go on in order with a new one', async () => {
    const [bot, other] = [await addBot(), await addBot()];
    await enable(bot);
    await setSealed(bot, sealSigning(secrets, newSigning(), SEALED_PLACES.signing(other.id)));
    for (const text of ['one', 'two', 'three']) await say(bot, text);
    type Shown = { id: number; last_error: string; pending_update_count: number };
    const shown = async () => (await fleet.rest<Shown[]>('/api/bots')).find(({ id }) => id === bot.id);
    await waitFor(async () => (await shown())?.last_error !== '', PATIENCE);
    await waitFor(async () => (await shown())?.pending_update_count === 3, PATIENCE);
    expect((await shown())?.last_error).toBe('The signing secret cannot be opened: rotate it, or remove it');
    await say(other, 'elsewhere');
    await untilThere('elsewhere');
    expect(backend.requests.map(textOf)).toEqual(['elsewhere']);
    const tested = await fleet.rest<{ status: number; error: string }>('/api/bots/test-delivery', { bot_id: bot.id });
    expect(tested).toMatchObject({ status: 0, error: expect.stringContaining('signing secret') });
    const { signing_secret: secret, ...more } = await rotate(bot);
    expect(more).toEqual({});
    await fleet.rest('/api/bots/resume-backend', { bot_id: bot.id });
    await waitFor(() => backend.requests.length === 4, PATIENCE);
    expect(backend.requests.map(textOf)).toEqual(['elsewhere', 'one', 'two', 'three']);
    expect(backend.requests.slice(1).every((request) => verifies(secret, request))).toBe(true);
  });
});

/** Stores this text, and lets every process know. */
async function setSealed(bot: FleetBot, sealed: string): Promise<void> {
  await db.updateTable('bots').set({ signing_sealed: sealed }).where('id', '=', bot.id).execute();
  await fleet.rest('/api/bots/update', { id: bot.id, description: sealed.slice(-20) });
}
