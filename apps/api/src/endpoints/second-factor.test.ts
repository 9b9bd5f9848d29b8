import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import { codeAt } from '@flotilla/domain/people/accounts/totp.ts';
import { administer } from '@flotilla/testing/postgres.ts';
import { type RestAnswer, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { describe, expect, test } from '@jest/globals';

const STEP_MS = 30_000;

const api = testApi({ TRUSTED_PROXIES: '127.0.0.0/8' });
let people = 0;

type Person = TestAccount & { url: string; address: string };

async function newPerson(given: { url?: string; role?: 'admin' | 'user' } = {}): Promise<Person> {
  people += 1;
  const account = await insertAccount(api.database.db, { username: `person-${people}`, role: given.role ?? 'user' });
  return { ...account, url: given.url ?? api.url, address: `10.11.${people >> 8}.${people & 255}` };
}

function ask(person: Person, method: string, path: string, body: object | undefined, cookie = ''): Promise<RestAnswer> {
  const headers = { cookie, 'x-forwarded-for': person.address };
  return restClient(person.url)(method, path, { headers, ...(body === undefined ? {} : { body }) });
}

const signIn = (person: Person, code?: string, password = person.password) =>
  ask(person, 'POST', '/api/auth/login', {
    username: person.username,
    password,
    ...(code === undefined ? {} : { code }),
  });

const cookieOf = ({ headers }: RestAnswer) => (headers.getSetCookie()[0] ?? '').split(';', 1)[0]!;

/** The codes of an app, each of another step, so that none is used twice. */
function appOf(secret: string) {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const bytes = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  );
  return (steps = 0) => codeAt(bytes, Date.now() + steps * STEP_MS);
}

async function enrol(person: Person) {
  const first = cookieOf(await signIn(person));
  const begun = await ask(person, 'POST', '/api/auth/totp/begin', { password: person.password }, first);
  const code = appOf((begun.json as { secret: string }).secret);
  const confirmed = await ask(person, 'POST', '/api/auth/totp/confirm', { code: code(-1) }, first);
  const { recovery_codes: recovery } = confirmed.json as { recovery_codes: string[] };
  return { first, begun, confirmed, code, recovery, cookie: cookieOf(confirmed) };
}

const me = (person: Person, cookie: string) => ask(person, 'GET', '/api/auth/me', undefined, cookie);

async function audited(person: Person): Promise<AuditEntryResource[]> {
  const { json } = await api.admin('GET', '/api/adminlog', { query: { limit: 200 } });
  return (json as AuditEntryResource[]).filter(({ actor_id, target_id }) => [actor_id, target_id].includes(person.id));
}

describe('a second factor', () => {
  test('is set up with the password and a code of the app, and ends the other sessions', async () => {
    const person = await newPerson();
    const elsewhere = cookieOf(await signIn(person));
    const { confirmed, cookie, recovery } = await enrol(person);
    expect(confirmed.status).toBe(200);
    expect(recovery).toEqual(Array.from({ length: 10 }, () => expect.stringMatching(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)));
    await waitFor(async () => (await me(person, elsewhere)).status === 401);
    expect((await me(person, cookie)).json).toMatchObject({ second_factor: true });
    const again = await ask(person, 'POST', '/api/auth/totp/begin', { password: person.password }, cookie);
    expect(again.status).toBe(409);
  });

  test('is then asked for at each sign-in, and a code counts once', async () => {
    const person = await newPerson();
    const { code } = await enrol(person);
    const without = await signIn(person);
    expect([without.status, without.json]).toEqual([401, expect.objectContaining({ code: 'second_factor_needed' })]);
    expect(without.headers.getSetCookie()).toEqual([]);
    expect((await signIn(person, '000000', 'not the password')).json).toMatchObject({ code: 'unauthorized' });
    const used = code();
    expect((await signIn(person, `${used.slice(0, 3)} ${used.slice(3)}`)).status).toBe(200);
    expect((await signIn(person, used)).status).toBe(401);
    // Of two at once with the same code, one is let in.
    const next = code(1);
    const both = await Promise.all([signIn(person, next), signIn(person, next)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test('leaves an entry that calls a right password alone no sign-in, once a minute and address', async () => {
    const person = await newPerson();
    const { code } = await enrol(person);
    const signIns = async (of: Person, action: string) =>
      (await audited(of)).filter((entry) => entry.action === action);
    const before = (await signIns(person, 'sign_in')).length;
    await signIn(person, undefined, 'not the password');
    expect(await signIns(person, 'sign_in_begin')).toEqual([]);
    await signIn(person);
    await signIn(person, '000000');
    const entry = { action: 'sign_in_begin', target_id: person.id, address: person.address };
    expect(await signIns(person, 'sign_in_begin')).toEqual([expect.objectContaining(entry)]);
    expect((await signIns(person, 'sign_in_begin'))[0]).not.toHaveProperty('actor_id');
    const elsewhere = { ...person, address: '10.12.0.1' };
    const password = { username: person.username, password: person.password };
    await ask(elsewhere, 'POST', '/api/auth/passkeys/ask', password);
    expect(await signIns(person, 'sign_in_begin')).toContainEqual(expect.objectContaining({ address: '10.12.0.1' }));
    expect(await signIns(person, 'sign_in')).toHaveLength(before);
    expect((await signIn(person, code())).status).toBe(200);
    expect(await signIns(person, 'sign_in')).toHaveLength(before + 1);
  });

  test('leaves that entry at the next sign-in if it could not be stored', async () => {
    const person = await newPerson();
    await enrol(person);
    await administer(api.database.url, 'alter table audit_log rename to audit_log_away');
    const failed = await signIn(person);
    await administer(api.database.url, 'alter table audit_log_away rename to audit_log');
    expect(failed.status).toBeGreaterThanOrEqual(500);
    expect((await signIn(person)).json).toMatchObject({ code: 'second_factor_needed' });
    const begun = (await audited(person)).filter(({ action }) => action === 'sign_in_begin');
    expect(begun).toHaveLength(1);
  });

  test('is replaced by a recovery code, once each', async () => {
    const person = await newPerson();
    const { recovery } = await enrol(person);
    expect((await signIn(person, recovery[3]!.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
    const again = await signIn(person, recovery[3]);
    expect([again.status, again.json]).toEqual([401, expect.objectContaining({ code: 'second_factor_needed' })]);
    const cookie = cookieOf(await signIn(person, recovery[0]));
    const state = await ask(person, 'GET', '/api/auth/second-factor', undefined, cookie);
    expect(state.json).toMatchObject({ totp: true, passkeys: [], recovery_codes_left: 8, required: false });
  });

  test('is not guessed: wrong codes count as failed sign-ins, at sign-in and with a stolen session', async () => {
    const person = await newPerson();
    const { code, cookie } = await enrol(person);
    const remove = (password: string) =>
      ask(person, 'POST', '/api/auth/totp/remove', { password, code: '000000' }, cookie);
    const answers = [await remove('a wrong password'), await remove(person.password)];
    for (let at = 0; at < 3; at += 1) answers.push(await signIn(person, '000000'));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 401, 401, 401]);
    expect((await signIn(person, code())).status).toBe(429);
    expect(await audited(person)).toContainEqual(expect.objectContaining({ action: 'sign_in_limit' }));
  });

  test('is removed with the password and a code', async () => {
    const person = await newPerson();
    const { code, cookie } = await enrol(person);
    const body = { password: person.password, code: code() };
    const removed = await ask(person, 'POST', '/api/auth/totp/remove', body, cookie);
    expect(removed.status).toBe(200);
    expect((await signIn(person)).status).toBe(200);
    const actions = (await audited(person)).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['second_factor_add', 'second_factor_remove', 'sign_in']));
  });

  test('of a lost phone is reset by an admin, which ends the sessions', async () => {
    const person = await newPerson();
    const { cookie } = await enrol(person);
    expect((await ask(person, 'POST', '/api/auth/users/reset-second-factor', { id: person.id }, cookie)).status).toBe(
      403,
    );
    expect((await api.admin('POST', '/api/auth/users/reset-second-factor', { body: { id: person.id } })).status).toBe(
      200,
    );
    await waitFor(async () => (await me(person, cookie)).status === 401);
    expect((await signIn(person)).status).toBe(200);
    expect(await audited(person)).toContainEqual(expect.objectContaining({ action: 'second_factor_reset' }));
  });

  test('is stored sealed and as hashes, and neither logged nor audited', async () => {
    const person = await newPerson();
    const { begun, recovery } = await enrol(person);
    const { secret } = begun.json as { secret: string };
    const rows = await api.database.db.selectFrom('second_factors').selectAll().execute();
    const everything = JSON.stringify([rows, await audited(person), api.logLines]);
    for (const hidden of [secret, recovery[0]!, recovery[0]!.replaceAll('-', '')]) {
      expect(everything).not.toContain(hidden);
    }
  });

  test('is added by no key, in no other session, and not beside one that the session did not prove', async () => {
    const person = await newPerson();
    const [own, other] = [cookieOf(await signIn(person)), cookieOf(await signIn(person))];
    const password = { password: person.password };
    const byKey = restClient(api.url, person.key);
    expect((await byKey('POST', '/api/auth/totp/begin', { body: password })).status).toBe(403);
    const begun = await ask(person, 'POST', '/api/auth/totp/begin', password, own);
    const body = { code: appOf((begun.json as { secret: string }).secret)() };
    expect((await byKey('POST', '/api/auth/totp/confirm', { body })).status).toBe(403);
    expect((await ask(person, 'POST', '/api/auth/totp/confirm', body, other)).status).toBe(400);
    // The owner adds a passkey at this moment: no process knows of it yet.
    await api.database.db
      .insertInto('second_factors')
      .values({ account_id: person.id, totp_sealed: '', confirmed_at: new Date() })
      .execute();
    const needed = { status: 401, json: { code: 'second_factor_needed' } };
    expect(await ask(person, 'POST', '/api/auth/totp/confirm', body, own)).toMatchObject(needed);
    await api.admin('POST', '/api/auth/users/update', { body: { id: person.id, display_name: 'Somebody' } });
    await waitFor(async () => (await me(person, own)).text.includes('"second_factor":true'));
    for (const path of ['totp', 'passkeys']) {
      expect(await ask(person, 'POST', `/api/auth/${path}/begin`, password, own)).toMatchObject(needed);
    }
  });

  test('that was begun and not confirmed is asked for nowhere', async () => {
    const person = await newPerson();
    const cookie = cookieOf(await signIn(person));
    await ask(person, 'POST', '/api/auth/totp/begin', { password: person.password }, cookie);
    expect((await ask(person, 'POST', '/api/auth/totp/confirm', { code: '000000' }, cookie)).status).toBe(400);
    expect((await signIn(person)).status).toBe(200);
  });
});

test('who must have a second factor can only set one up until there is one', async () => {
  const pod = await api.startPod({ SECOND_FACTOR: 'admins' });
  const admin = await newPerson({ url: pod.url, role: 'admin' });
  const first = cookieOf(await signIn(admin));
  const bots = (cookie: string) => ask(admin, 'GET', '/api/bots', undefined, cookie);
  const refused = await bots(first);
  expect([refused.status, refused.json]).toEqual([
    403,
    expect.objectContaining({ error: 'A second factor must be set up first' }),
  ]);
  expect((await ask(admin, 'GET', '/admin/queues/', undefined, first)).status).toBe(403);
  expect((await me(admin, first)).json).toMatchObject({ second_factor_missing: true });
  expect((await restClient(pod.url, admin.key)('GET', '/api/bots')).status).toBe(200);
  const { cookie, code } = await enrol(admin);
  expect((await bots(cookie)).status).toBe(200);
  expect((await me(admin, cookie)).json).not.toHaveProperty('second_factor_missing');
  expect((await bots(cookieOf(await signIn(admin, code())))).status).toBe(200);
  const user = await newPerson({ url: pod.url });
  expect((await ask(user, 'GET', '/api/bots', undefined, cookieOf(await signIn(user)))).status).toBe(200);
});
