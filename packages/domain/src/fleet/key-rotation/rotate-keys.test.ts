import { randomBytes } from 'node:crypto';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { configKeys } from '@flotilla/redis/keys.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { keyIdOf, type SecretBox, secretBox } from '@flotilla/runtime/secret-box.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { administer, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { creatorOf } from '../../delivery/programs/creator.ts';
import { programStore } from '../../delivery/programs/program-store.ts';
import { secondFactorPlace } from '../../people/accounts/second-factor-store.ts';
import { OPERATOR } from '../../people/audit/actor.ts';
import { mirrorBot } from '../bots/bot-mirror.ts';
import { openColumns, SEALED_PLACES, sealColumns } from '../bots/sealed-bot.ts';
import { newSigning, openSigning, sealSigning } from '../bots/signing.ts';
import { countKeys, rotateKeys } from './rotate-keys.ts';

const BOTS = 250;
const log = createLogger({ name: 'test', level: 'silent' });
const key = () => randomBytes(32).toString('base64');
const [OLD, NEW, OTHER] = [key(), key(), key()];
const before = secretBox(OLD);
const both = secretBox(`new:${NEW},old:${OLD}`);
const after = secretBox(`new:${NEW}`);

let database: TestDatabase;
let server: TestRedis;
let redis: RedisHandles;

beforeAll(async () => {
  database = await testDatabase();
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log });
});
afterAll(async () => {
  await redis.close();
  await server.stop();
  await database.drop();
});
beforeEach(async () => {
  await database.db.deleteFrom('bots').execute();
  await redis.commands.flushall();
});

const deps = (secrets = both, signal = new AbortController().signal) => ({
  ...{ db: database.db, redis, secrets, signal },
  clock: systemClock,
});
const mirror = (id: number, secrets = before) => mirrorBot({ redis, secrets }, aBot({ id, token: `token ${id}` }));
const secretsOf = (id: number) => ({
  token: `token ${id}`,
  secret_token: `secret ${id}`,
  backend_url: `https://user:pass@host/${id}`,
});
const store = (id: number, fields: { token_sealed?: string; secret_token_sealed?: string } = {}, secrets = before) =>
  storeColumns(id, { ...sealColumns(secrets, id, secretsOf(id)), ...fields });
const storeColumns = (id: number, columns: object) =>
  database.db.updateTable('bots').set(columns).where('id', '=', id).execute();
const tokenOf = (secrets: SecretBox, id: number, token: string) => secrets.seal(token, SEALED_PLACES.token(id));
const rows = () => database.db.selectFrom('bots').selectAll().orderBy('id').execute();

async function makeBots(count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let made = 0; made < count; made += 1) {
    const id = await storedBot(database.db);
    ids.push(id);
    await store(id, made % 2 === 0 ? {} : { secret_token_sealed: '' });
    await mirror(id);
  }
  return ids;
}

test('a rotation is in the audit log, as an operator’s, before anything is sealed anew; looking is not', async () => {
  const entries = () => database.db.selectFrom('audit_log').selectAll().orderBy('id').execute();
  await database.db.deleteFrom('audit_log').execute();
  await makeBots(1);
  await countKeys(deps());
  expect(await entries()).toEqual([]);
  await rotateKeys(deps());
  const operator = { actor_kind: 'account', actor_id: null, actor_username: null, address: null };
  expect(await entries()).toMatchObject([{ action: 'keys_rotate', ...operator, details: 'to the key "new"' }]);
  await administer(database.url, 'alter table audit_log rename to hidden');
  const sealed = await rows();
  await expect(rotateKeys(deps(secretBox(`other:${OTHER},new:${NEW}`)))).rejects.toThrow('audit_log');
  await administer(database.url, 'alter table hidden rename to audit_log');
  expect(await rows()).toEqual(sealed);
});

test('everything is sealed anew, in Postgres and in Redis, and nothing else of it changes', async () => {
  const ids = await makeBots(BOTS);
  const known = await rows();
  const rotation = await rotateKeys(deps());
  expect(rotation).toEqual({
    outcome: 'done',
    resealed: BOTS * 2,
    lines: [
      { place: 'bot tokens', keyId: 'new', sealing: 'current', count: BOTS },
      { place: 'secret tokens', keyId: 'new', sealing: 'current', count: BOTS / 2 },
      { place: 'backend URLs', keyId: 'new', sealing: 'current', count: BOTS },
      { place: 'configuration in Redis', keyId: 'new', sealing: 'current', count: BOTS },
    ],
  });
  for (const [at, row] of (await rows()).entries()) {
    expect(openColumns(after, row)).toMatchObject({
      token: `token ${row.id}`,
      backend_url: secretsOf(row.id).backend_url,
    });
    const { token_sealed, secret_token_sealed, backend_url_sealed } = row;
    expect({ ...known[at], token_sealed, secret_token_sealed, backend_url_sealed }).toEqual(row);
  }
  for (const id of ids) {
    const [revision, sealed = ''] = ((await redis.commands.hget(configKeys.bots, String(id))) ?? '').split(' ');
    const plain = after.open(sealed, SEALED_PLACES.mirrored(id, 1));
    expect([revision, JSON.parse(plain).token]).toEqual(['1', `token ${id}`]);
  }
  expect(await rotateKeys(deps())).toMatchObject({ outcome: 'done', resealed: 0 });
}, 60_000);

test('interrupted anywhere, it goes on where it is begun again', async () => {
  await makeBots(BOTS);
  const stopping = new AbortController();
  const signal = new Proxy(stopping.signal, {
    get: (target, name) => {
      if (name !== 'throwIfAborted') return Reflect.get(target, name);
      return () => {
        target.throwIfAborted();
        // This runs after the first step.
        stopping.abort(new Error('stopped'));
      };
    },
  });
  await expect(rotateKeys(deps(both, signal))).rejects.toThrow('stopped');
  const left = (await rows()).filter((row) => keyIdOf(row.token_sealed) !== 'new').length;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(BOTS);
  expect(await rotateKeys(deps())).toMatchObject({ outcome: 'done' });
}, 60_000);

test('looking alone changes nothing and says which keys are still needed', async () => {
  const [id] = await makeBots(1);
  const known = await rows();
  expect(await countKeys(deps())).toMatchObject({
    outcome: 'old-left',
    lines: [
      { place: 'bot tokens', keyId: before.keyId, sealing: 'old', count: 1 },
      { place: 'secret tokens', sealing: 'old', count: 1 },
      { place: 'backend URLs', sealing: 'old', count: 1 },
      { place: 'configuration in Redis', sealing: 'old', count: 1 },
    ],
  });
  expect(await rows()).toEqual(known);
  expect(await redis.commands.hget(configKeys.bots, String(id))).toContain(before.keyId);
});

test('what no listed key opens is left as it is, the rest is sealed anew, and it is not called done', async () => {
  const [unknown, altered, fine] = (await makeBots(3)) as [number, number, number];
  const [lost, another] = [secretBox(`lost:${OTHER}`), secretBox(`old:${OTHER}`)];
  await store(unknown, { token_sealed: tokenOf(lost, unknown, 'token'), secret_token_sealed: '' });
  await store(altered, { token_sealed: tokenOf(another, altered, 'token'), secret_token_sealed: 'nonsense' });
  await mirror(fine, lost);
  const { outcome, lines } = await rotateKeys(deps());
  expect(outcome).toBe('locked');
  expect(lines).toEqual(
    expect.arrayContaining([
      { place: 'bot tokens', keyId: 'lost', sealing: 'unknown', count: 1 },
      { place: 'bot tokens', keyId: 'old', sealing: 'unreadable', count: 1 },
      { place: 'secret tokens', keyId: 'none', sealing: 'unreadable', count: 1 },
      { place: 'bot tokens', keyId: 'new', sealing: 'current', count: 1 },
    ]),
  );
});

test('a bot that changes meanwhile keeps its change', async () => {
  const ids = await makeBots(250);
  const changing = (async () => {
    for (const id of ids) {
      await storeColumns(id, { token_sealed: tokenOf(before, id, `changed ${id}`) });
    }
  })();
  await rotateKeys(deps());
  await changing;
  expect(await rotateKeys(deps())).toMatchObject({ outcome: 'done' });
  for (const row of await rows()) expect(openColumns(after, row).token).toBe(`changed ${row.id}`);
}, 60_000);

test('a text that was moved to another row or column opens nowhere, and is called unreadable', async () => {
  const [one, other] = (await makeBots(2)) as [number, number];
  const [first] = await rows();
  await storeColumns(other, { token_sealed: first!.token_sealed, secret_token_sealed: first!.backend_url_sealed });
  const mirrored = (await redis.commands.hget(configKeys.bots, String(one))) ?? '';
  await redis.commands.hset(configKeys.bots, String(other), mirrored);
  const moved = (await rows()).find(({ id }) => id === other)!;
  expect(() => openColumns(before, moved)).toThrow('altered or moved');
  expect(() => openColumns(before, { ...moved, token_sealed: tokenOf(before, other, 'its own') })).toThrow('moved');
  const { outcome, lines } = await rotateKeys(deps());
  expect(outcome).toBe('locked');
  expect(lines).toEqual(
    expect.arrayContaining([
      { place: 'bot tokens', keyId: before.keyId, sealing: 'unreadable', count: 1 },
      { place: 'secret tokens', keyId: before.keyId, sealing: 'unreadable', count: 1 },
      { place: 'configuration in Redis', keyId: before.keyId, sealing: 'unreadable', count: 1 },
    ]),
  );
});

const RELAY = {
  mode: 'push',
  kinds: [],
  filter: {},
  exclusive: false,
  order: 100,
  sees_held: false,
  priority: 'normal' as const,
  backend_role: 'admin' as const,
} as const;

test('the backends of programs are sealed anew too, each for its own program', async () => {
  const [botId] = await makeBots(1);
  const content = {
    name: 'relay',
    enabled: true,
    backend_certificate: '',
    backend_ip_address: '',
    max_connections: 40,
    silent_after_s: 300,
  };
  const wanted = { ...content, backend_url: 'https://relay.example/', secret_token: 'its-secret' };
  const program = await programStore(database.db, before).insert(
    botId!,
    { ...wanted, ...RELAY, kinds: [] },
    creatorOf(OPERATOR),
  );
  await rotateKeys(deps());
  expect(await programStore(database.db, after).find(program.id)).toMatchObject(wanted);
  await programStore(database.db, after).remove(program);
});

test('what signs deliveries is sealed anew, of bots and of programs', async () => {
  const [botId] = await makeBots(1);
  const content = {
    name: 'relay',
    enabled: true,
    backend_certificate: '',
    backend_ip_address: '',
    max_connections: 40,
    silent_after_s: 300,
    kinds: [],
  };
  const of = {
    filter: {},
    exclusive: false,
    order: 100,
    sees_held: false,
    priority: 'normal' as const,
    backend_role: 'admin' as const,
  };
  const wanted = { ...content, ...of, backend_url: 'https://relay.example/', secret_token: '' };
  const { id } = await programStore(database.db, before).insert(
    botId!,
    { ...wanted, mode: 'push' },
    creatorOf(OPERATOR),
  );
  const [ofBot, ofProgram] = [newSigning(), newSigning()];
  const place = SEALED_PLACES.signing(botId!);
  await storeColumns(botId!, { signing_sealed: sealSigning(before, ofBot, place) });
  await programStore(database.db, before).setSigning(id, ofProgram, creatorOf(OPERATOR));
  const { outcome, lines } = await rotateKeys(deps());
  expect(outcome).toBe('done');
  expect(lines).toContainEqual({ place: 'signing secrets', keyId: 'new', sealing: 'current', count: 2 });
  expect(openSigning(after, (await rows())[0]!.signing_sealed, place)).toEqual(ofBot);
  expect(await programStore(database.db, after).find(id)).toMatchObject({ signing: ofProgram });
});

test('the secrets of authenticator apps are sealed anew', async () => {
  const account = { username: 'anna', username_key: 'anna', password_hash: '', role: 'admin' } as const;
  const added = database.db.insertInto('accounts').values(account).returning('id');
  const { id } = await added.executeTakeFirstOrThrow();
  const totp_sealed = before.seal('a secret', secondFactorPlace(id));
  await database.db.insertInto('second_factors').values({ account_id: id, totp_sealed }).execute();
  expect(await rotateKeys(deps())).toMatchObject({
    outcome: 'done',
    resealed: 1,
    lines: [{ place: 'second factors', keyId: 'new', sealing: 'current', count: 1 }],
  });
  const stored = await database.db.selectFrom('second_factors').select('totp_sealed').executeTakeFirstOrThrow();
  expect(after.open(stored.totp_sealed, secondFactorPlace(id))).toBe('a secret');
});
