import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { SEALED_PLACES } from '@flotilla/domain/fleet/bots/sealed-bot.ts';
import { newSigning, sealSigning } from '@flotilla/domain/fleet/bots/signing.ts';
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

type Signed = { signing_secret: string; previous_valid_until?: string };

let fleet: Fleet;
let db: Database;
let redis: RedisHandles;
let backend: TestBackend;
let bot: FleetBot;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  db = connectDatabase({ url: fleet.database.url, maxConnections: 1 });
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
}, 180_000);
afterAll(async () => {
  await db?.destroy();
  await redis?.close();
  await fleet?.stop();
}, 180_000);
beforeEach(async () => {
  backend = await startBackend();
  bot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/own` });
});
afterEach(() => backend?.stop());

const addProgram = (name: string) =>
  fleet.rest<ProgramResource>('/api/programs/add', {
    ...{ bot_id: bot.id, name, mode: 'push', backend_url: `${backend.url}/${name}`, secret_token: 'a-secret-token' },
  });
const signing = (change: 'rotate' | 'remove', { id }: ProgramResource) =>
  fleet.rest<Signed>(`/api/programs/${change}-signing`, { program_id: id });
const show = ({ id }: ProgramResource) => fleet.rest<ProgramResource>(`/api/programs/show?id=${id}`);
const say = (text: string, chat = 5) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":${chat},"type":"private"},"text":"${text}"}`,
  });
const at = (name: string): RecordedRequest[] => backend.requests.filter(({ url }) => url === `/${name}`);
const textOf = ({ text }: RecordedRequest) => JSON.parse(text).message.text as string;
const untilAt = (name: string, text: string) =>
  waitFor(() => at(name).find((request) => textOf(request) === text), { ...PATIENCE, message: `${text} at ${name}` });
const isSigned = ({ headers }: RecordedRequest) => Object.keys(headers).join().includes('webhook-');
/** A worker learns of a secret, and of its end, a moment after the answer: speaks until it has. */
const sayUntil = (name: string, signed: boolean) =>
  waitFor(async () => {
    const text = `until ${performance.now()}`;
    await say(text);
    await untilAt('own', text);
    return isSigned((await untilAt(name, text))!) === signed;
  }, PATIENCE);

describe('signed deliveries to programs', () => {
  test('are verified by a library for receivers with the secret of that program alone, until it is removed', async () => {
    const [one, two] = [await addProgram('one'), await addProgram('two')];
    await addProgram('plain');
    const keys = {
      one: (await signing('rotate', one)).signing_secret,
      two: (await signing('rotate', two)).signing_secret,
    };
    await sayUntil('one', true);
    await sayUntil('two', true);
    await say('first — ёж 😀');
    for (const name of ['one', 'two'] as const) {
      const request = (await untilAt(name, 'first — ёж 😀'))!;
      expect([verifies(keys[name], request), verifies(keys[name === 'one' ? 'two' : 'one'], request)]).toEqual([
        true,
        false,
      ]);
      const program = name === 'one' ? one : two;
      const { update_id: id } = JSON.parse(request.text) as { update_id: number };
      expect(request.headers).toMatchObject({
        'webhook-id': `upd_${bot.id}_p${program.id}_${id}`,
        'x-telegram-bot-api-secret-token': 'a-secret-token',
      });
    }
    for (const name of ['plain', 'own']) expect(isSigned((await untilAt(name, 'first — ёж 😀'))!)).toBe(false);
    await signing('remove', one);
    await sayUntil('one', false);
    await say('second');
    expect(verifies(keys.two, (await untilAt('two', 'second'))!)).toBe(true);
    const attempts = await fleet.rest(`/api/deliveries/attempts?bot_id=${bot.id}&program_id=${two.id}`);
    const told = [
      ...[attempts, await show(two), await fleet.rest(`/api/adminlog?bot_id=${bot.id}`)],
      ...[...fleet.apis, ...fleet.workers].map((process) => process.output()),
      ...[await everythingInPostgres(db), await everythingIn(redis)],
    ];
    for (const secret of Object.values(keys)) expect(JSON.stringify(told)).not.toContain(secret.slice('whsec_'.length));
  });

  test('that are in flight while the secret is rotated all arrive, in order, and verify with the old one', async () => {
    const program = await addProgram('rotated');
    const before = (await signing('rotate', program)).signing_secret;
    await sayUntil('rotated', true);
    backend.requests.splice(0);
    const CHATS = 20;
    let said = 0;
    let rotated = false;
    const saying = (async () => {
      // Whole rounds of all chats, and a few after the rotation was seen.
      for (let rounds = 0; rounds < 5; rounds += rotated ? 1 : 0) {
        for (let chat = 0; chat < CHATS; chat += 1, said += 1) await say(`n${said}`, 5 + chat);
      }
    })();
    await waitFor(() => at('rotated').length > 20, PATIENCE);
    const { signing_secret: after, previous_valid_until: until } = await signing('rotate', program);
    expect(Math.abs(Date.parse(until ?? '') - Date.now() - 86_400_000)).toBeLessThan(60_000);
    const young = () => at('rotated').filter((request) => verifies(after, request));
    await waitFor(() => young().length > 0, { ...PATIENCE, message: 'a request signed with the new secret' }).finally(
      () => {
        rotated = true;
      },
    );
    await saying;
    await waitFor(() => new Set(at('rotated').map(textOf)).size === said, PATIENCE);
    const requests = at('rotated');
    expect(requests.filter((request) => !verifies(before, request))).toEqual([]);
    expect(young().length).toBeLessThan(said);
    for (const { headers } of young()) expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
    const numbers = [...new Set(requests.map(textOf))].map((text) => Number(text.slice(1)));
    for (let chat = 0; chat < CHATS; chat += 1) {
      const ofChat = numbers.filter((number) => number % CHATS === chat);
      expect(ofChat).toEqual(Array.from({ length: said / CHATS }, (_, place) => place * CHATS + chat));
    }
  });

  test('wait while the secret of one program cannot be opened; it says why, and the others go on', async () => {
    const [broken, sound] = [await addProgram('broken'), await addProgram('sound')];
    await signing('rotate', broken);
    const key = (await signing('rotate', sound)).signing_secret;
    await sayUntil('broken', true);
    await sayUntil('sound', true);
    await say('before');
    for (const name of ['own', 'broken', 'sound']) await untilAt(name, 'before');
    backend.requests.splice(0);
    // Sealed for another program.
    const sealed = sealSigning(secrets, newSigning(), SEALED_PLACES.programSigning(sound.id));
    await db.updateTable('programs').set({ signing_sealed: sealed }).where('id', '=', broken.id).execute();
    // Every process reads the bot anew.
    await fleet.rest('/api/bots/update', { id: bot.id, description: 'changed' });
    for (const text of ['one', 'two', 'three']) await say(text);
    await waitFor(async () => {
      const { last_error: error, pending_update_count: waiting } = await show(broken);
      return error !== '' && waiting === 3;
    }, PATIENCE);
    expect(await show(broken)).toMatchObject({
      ...{ last_error: 'The signing secret cannot be opened: rotate it, or remove it' },
      ...{ enabled: true, signing_enabled: true },
    });
    for (const name of ['own', 'sound']) {
      await untilAt(name, 'three');
      expect(at(name).map(textOf)).toEqual(['one', 'two', 'three']);
    }
    expect(at('sound').every((request) => verifies(key, request))).toBe(true);
    expect(at('broken')).toEqual([]);
    const tested = await fleet.rest('/api/programs/test-delivery', { id: broken.id });
    expect(tested).toMatchObject({ status: 0, error: expect.stringContaining('signing secret') });
    const { signing_secret: secret, ...more } = await signing('rotate', broken);
    expect(more).toEqual({});
    await fleet.rest('/api/programs/resume-backend', { id: broken.id });
    await untilAt('broken', 'three');
    expect(at('broken').map(textOf)).toEqual(['one', 'two', 'three']);
    expect(at('broken').every((request) => verifies(secret, request))).toBe(true);
    expect((await show(broken)).last_error).toBe('');
  });
});

const everythingIn = ({ servers }: RedisHandles) =>
  Promise.all(servers().map((server) => everythingInRedis(server as never)));
