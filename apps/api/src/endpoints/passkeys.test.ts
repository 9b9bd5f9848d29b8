import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { EventResource } from '@flotilla/contract/events.ts';
import { codeAt } from '@flotilla/domain/people/accounts/totp.ts';
import { type Authenticator, authenticator } from '@flotilla/testing/authenticator.ts';
import { type RestAnswer, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { describe, expect, test } from '@jest/globals';

const ORIGIN = 'https://bots.example.com';

const api = testApi({ TRUSTED_PROXIES: '127.0.0.0/8', PUBLIC_URL: ORIGIN });
let people = 0;

type Person = TestAccount & { address: string; url: string };

async function newPerson(url = api.url): Promise<Person> {
  people += 1;
  const account = await insertAccount(api.database.db, { username: `passkeys-${people}` });
  return { ...account, url, address: `10.12.${people >> 8}.${people & 255}` };
}

function ask(person: Person, path: string, body: object | null, cookie = ''): Promise<RestAnswer> {
  const headers = { cookie, 'x-forwarded-for': person.address };
  const call = body === null ? { headers } : { headers, body };
  return restClient(person.url)(body === null ? 'GET' : 'POST', `/api/auth/${path}`, call);
}

const named = ({ username, password }: Person) => ({ username, password });
const signIn = (person: Person, proof: object = {}) => ask(person, 'login', { ...named(person), ...proof });
const cookieOf = ({ headers }: RestAnswer) => (headers.getSetCookie()[0] ?? '').split(';', 1)[0]!;
const me = (person: Person, cookie: string) => ask(person, 'me', null, cookie);
const begin = async (person: Person, cookie: string) =>
  ((await ask(person, 'passkeys/begin', { password: person.password }, cookie)).json as { options: string }).options;
const challenge = async (person: Person) =>
  ((await ask(person, 'passkeys/ask', named(person))).json as { options: string }).options;
const add = (person: Person, cookie: string, passkey: string, name = 'Laptop') =>
  ask(person, 'passkeys/add', { name, passkey }, cookie);

async function enrol(person: Person, key: Authenticator = authenticator(ORIGIN)) {
  const first = cookieOf(await signIn(person));
  const added = await add(person, first, key.register(await begin(person, first)));
  expect(added).toMatchObject({ status: 200 });
  const { id, recovery_codes: recovery } = added.json as { id: number; recovery_codes: string[] };
  return { key, id, recovery, first, cookie: cookieOf(added) };
}

const refused = (answer: RestAnswer) => [answer.status, (answer.json as { code: string }).code];
const NEEDED = [401, 'second_factor_needed'];

async function audited(person: Person): Promise<string[]> {
  const { json } = await api.admin('GET', '/api/adminlog', { query: { limit: 200 } });
  return (json as AuditEntryResource[])
    .filter(({ actor_id, target_id }) => [actor_id, target_id].includes(person.id))
    .map(({ action, details }) => `${action} ${details}`);
}

describe('a passkey', () => {
  test('is one of ten at most, also where another one was added since it was begun', async () => {
    const person = await newPerson();
    const { cookie } = await enrol(person);
    const passkey = authenticator(ORIGIN).register(await begin(person, cookie));
    const others = Array.from({ length: 9 }, (_, at) => ({
      ...{ account_id: person.id, name: `No. ${at}`, credential_id: `${person.id}-${at}` },
      ...{ public_key: Buffer.from('key'), counter: 0, transports: '[]' },
    }));
    await api.database.db.insertInto('passkeys').values(others).execute();
    expect(refused(await add(person, cookie, passkey))).toEqual([409, 'conflict']);
  });

  test('is added with the password, ends the other sessions, and is then used beside it', async () => {
    const person = await newPerson();
    const elsewhere = cookieOf(await signIn(person));
    const { key, id, recovery, cookie } = await enrol(person);
    expect(recovery).toHaveLength(10);
    await waitFor(async () => (await me(person, elsewhere)).status === 401);
    expect((await me(person, cookie)).json).toMatchObject({ second_factor: true });
    expect(refused(await signIn(person))).toEqual(NEEDED);
    const signedIn = await signIn(person, { passkey: key.prove(await challenge(person)) });
    expect(signedIn).toMatchObject({ status: 200 });
    expect((await ask(person, 'second-factor', null, cookieOf(signedIn))).json).toEqual({
      totp: false,
      passkeys: [{ id, name: 'Laptop', created_at: expect.any(String), last_used_at: expect.any(String) }],
      ...{ passkeys_possible: true, recovery_codes_left: 10, required: false },
    });
    expect((await signIn(person, { code: recovery[0] })).status).toBe(200);
    expect(await audited(person)).toEqual(
      expect.arrayContaining(['second_factor_add passkey "Laptop"', 'sign_in with a passkey']),
    );
    const { json } = await api.admin('GET', '/api/events', { query: { kinds: 'second_factor.added' } });
    expect((json as EventResource[]).map(({ text }) => text)).toContain(
      `A second factor of ${person.username} was added: passkey "Laptop"`,
    );
  });

  test('stands beside others and an app, and what is left is still asked for', async () => {
    const person = await newPerson();
    const { key, id, cookie: first } = await enrol(person);
    const other = authenticator(ORIGIN);
    const second = await add(person, first, other.register(await begin(person, first)), 'Phone');
    expect(second.json).toMatchObject({ recovery_codes: [] });
    const begun = await ask(person, 'totp/begin', { password: person.password }, cookieOf(second));
    const code = codeOf((begun.json as { secret: string }).secret, -1);
    const third = await ask(person, 'totp/confirm', { code }, cookieOf(second));
    expect(third.json).toEqual({ recovery_codes: [] });
    const remove = async (path: string, body: object, cookie: string, by: Authenticator) =>
      ask(person, path, { ...body, password: person.password, passkey: by.prove(await challenge(person)) }, cookie);
    const fourth = await remove('passkeys/remove', { id }, cookieOf(third), key);
    expect(fourth).toMatchObject({ status: 200 });
    expect(refused(await signIn(person, { passkey: key.prove(await challenge(person)) }))).toEqual(NEEDED);
    const fifth = await remove('totp/remove', {}, cookieOf(fourth), other);
    expect(fifth).toMatchObject({ status: 200 });
    expect(refused(await signIn(person))).toEqual(NEEDED);
    const [left] = ((await ask(person, 'second-factor', null, cookieOf(fifth))).json as { passkeys: { id: number }[] })
      .passkeys;
    const last = await remove('passkeys/remove', { id: left!.id }, cookieOf(fifth), other);
    expect(last).toMatchObject({ status: 200 });
    expect((await signIn(person)).status).toBe(200);
    const again = { id: left!.id, password: person.password, code: '000000' };
    expect((await ask(person, 'passkeys/remove', again, cookieOf(last))).status).toBe(404);
  });

  test('that is lost is reset by an admin with all others', async () => {
    const person = await newPerson();
    const { cookie } = await enrol(person);
    const body = { id: person.id };
    expect((await api.admin('POST', '/api/auth/users/reset-second-factor', { body })).status).toBe(200);
    await waitFor(async () => (await me(person, cookie)).status === 401);
    expect((await signIn(person)).status).toBe(200);
    expect(await audited(person)).toContain('second_factor_reset passkey "Laptop"');
  });

  test('goes with its account', async () => {
    const person = await newPerson();
    await enrol(person);
    await api.admin('POST', '/api/auth/users/delete', { body: { id: person.id } });
    const left = await api.database.db.selectFrom('passkeys').selectAll().where('account_id', '=', person.id).execute();
    expect(left).toEqual([]);
  });

  test('cannot be added where browsers have none: over plain http, or at an address', async () => {
    const pod = await api.startPod({ PUBLIC_URL: 'http://bots.example.com' });
    const person = await newPerson(pod.url);
    const cookie = cookieOf(await signIn(person));
    const answer = await ask(person, 'passkeys/begin', { password: person.password }, cookie);
    expect([answer.status, (answer.json as { error: string }).error]).toEqual([
      409,
      'Passkeys need the setting PUBLIC_URL with https and the name of a host, or http://localhost',
    ]);
    expect((await ask(person, 'second-factor', null, cookie)).json).toMatchObject({ passkeys_possible: false });
  });
});

describe('no sign-in comes by', () => {
  test('an answer that was used before, or to a challenge that was', async () => {
    const person = await newPerson();
    const { key } = await enrol(person);
    const options = await challenge(person);
    const answer = key.prove(options);
    expect((await signIn(person, { passkey: answer })).status).toBe(200);
    expect(refused(await signIn(person, { passkey: answer }))).toEqual(NEEDED);
    expect(refused(await signIn(person, { passkey: key.prove(options) }))).toEqual(NEEDED);
    // Of two at once with one challenge, one is let in.
    const [one, other] = await challenge(person).then((once) => [key.prove(once), key.prove(once)]);
    const both = await Promise.all([signIn(person, { passkey: one }), signIn(person, { passkey: other })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test.each<[string, Parameters<Authenticator['prove']>[1]]>([
    ['a page of another site', { origin: 'https://bots.example.com.evil.example' }],
    ['the same host without https', { origin: 'http://bots.example.com' }],
    ['a passkey for another site', { rpId: 'evil.example' }],
    ['an authenticator that did not ask who it is', { verified: false }],
    ['a challenge that nobody made', { challenge: 'bm9ib2R5IG1hZGUgdGhpcw' }],
    ['a counter that fell back, as that of a copy', { counter: 1 }],
  ])('%s', async (_title, forged) => {
    const person = await newPerson();
    const { key } = await enrol(person);
    expect((await signIn(person, { passkey: key.prove(await challenge(person), { counter: 5 }) })).status).toBe(200);
    const answer = key.prove(await challenge(person), { counter: 6, ...forged });
    expect(refused(await signIn(person, { passkey: answer }))).toEqual(NEEDED);
  });

  test('the passkey or the challenge of another account', async () => {
    const [victim, attacker] = [await newPerson(), await newPerson()];
    await enrol(victim);
    const { key } = await enrol(attacker);
    expect(refused(await signIn(victim, { passkey: key.prove(await challenge(attacker)) }))).toEqual(NEEDED);
    expect(refused(await signIn(victim, { passkey: key.prove(await challenge(victim)) }))).toEqual(NEEDED);
    expect((await signIn(attacker, { passkey: key.prove(await challenge(attacker)) })).status).toBe(200);
  });

  test('a code of an app that the account does not have, or something that is no passkey', async () => {
    const person = await newPerson();
    await enrol(person);
    for (const proof of [{ code: '000000' }, { passkey: '{}' }, { passkey: 'nonsense' }]) {
      expect(refused(await signIn(person, proof))).toEqual(NEEDED);
    }
  });

  test('guesses: they count as failed sign-ins, and whoever does not know the password is asked for nothing', async () => {
    const [person, plain] = [await newPerson(), await newPerson()];
    const { key } = await enrol(person);
    // Nobody finds out without an entry of a sign-in that this is the whole of what is needed.
    const asked = await Promise.all(
      [plain.password, 'a wrong one'].map((password) => ask(plain, 'passkeys/ask', { ...named(plain), password })),
    );
    expect(asked.map(refused)).toEqual([
      [401, 'unauthorized'],
      [401, 'unauthorized'],
    ]);
    const wrong = await ask(person, 'passkeys/ask', { ...named(person), password: 'a wrong password' });
    expect([wrong.status, wrong.json]).toEqual([401, expect.objectContaining({ code: 'unauthorized' })]);
    const options = await challenge(person);
    for (let at = 0; at < 4; at += 1) await signIn(person, { passkey: '{}' });
    expect((await signIn(person, { passkey: key.prove(options) })).status).toBe(429);
  });
});

describe('nobody adds a passkey', () => {
  test('with a stolen session alone, in another session, with a key, or beside a factor that the session did not prove', async () => {
    const person = await newPerson();
    const [own, stolen] = [cookieOf(await signIn(person)), cookieOf(await signIn(person))];
    expect((await ask(person, 'passkeys/begin', { password: 'guessed password' }, stolen)).status).toBe(400);
    const key = authenticator(ORIGIN);
    const made = key.register(await begin(person, own));
    expect((await add(person, stolen, made)).status).toBe(400);
    expect((await add(person, own, made)).status).toBe(400);
    const body = { password: person.password };
    const byKey = await restClient(api.url, person.key)('POST', '/api/auth/passkeys/begin', { body });
    expect(byKey.status).toBe(403);
    const answerOfSignIn = { ...named(person), passkey: key.register(await begin(person, own)) };
    expect((await ask(person, 'login', answerOfSignIn)).status).toBe(200);
    const late = key.register(await begin(person, own));
    // The owner sets up an app at this moment: no process knows of it yet.
    const factor = { account_id: person.id, totp_sealed: 'sealed', confirmed_at: new Date() };
    await api.database.db.insertInto('second_factors').values(factor).execute();
    expect(refused(await add(person, own, late))).toEqual(NEEDED);
  });

  test('made for another site, or twice', async () => {
    const person = await newPerson();
    const { key, cookie } = await enrol(person);
    const elsewhere = authenticator('https://evil.example').register(await begin(person, cookie));
    expect((await add(person, cookie, elsewhere)).status).toBe(400);
    expect((await add(person, cookie, key.register(await begin(person, cookie)))).status).toBe(409);
    const unverified = authenticator(ORIGIN).register(await begin(person, cookie), { verified: false });
    expect((await add(person, cookie, unverified)).status).toBe(400);
  });
});

/** The code that an app shows. */
function codeOf(secret: string, steps: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2));
  return codeAt(Buffer.from(bytes), Date.now() + steps * 30_000);
}
