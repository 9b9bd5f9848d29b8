import { mock } from 'node:test';
import { changeCredentials } from '@flotilla/domain/people/accounts/change-credentials.ts';
import { findAccount } from '@flotilla/domain/people/accounts/find-account.ts';
import { makeSignInLink } from '@flotilla/domain/people/accounts/sign-in-link.ts';
import { usernameKey } from '@flotilla/domain/people/accounts/username-key.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

let api: TestApi;
let redis: RedisHandles;
let http: RestClient;
let accounts = 0;

const KEYS = '/api/auth/api-keys';
const LONGER_THAN_A_COMMAND_MAY_TAKE_MS = 1_500;
const log = createLogger({ name: 'test', level: 'silent' });

beforeAll(async () => {
  api = await startTestApi({ TRUSTED_PROXIES: '127.0.0.0/8' });
  redis = await connectRedis({ url: api.redis.url, log });
  http = restClient(api.url);
}, 60_000);

afterAll(async () => {
  await redis?.close();
  await api?.stop();
});

const newAccount = (given: { mustChangePassword?: boolean; role?: 'admin' | 'user' } = {}) => {
  accounts += 1;
  return insertAccount(api.database.db, { username: `person-${accounts}`, ...given });
};

const signIn = (account: { username: string; password: string }, headers: Record<string, string> = {}) =>
  http('POST', '/api/auth/login', {
    body: { username: account.username, password: account.password },
    // A new address for each sign-in avoids the limit per address.
    headers: { 'x-forwarded-for': `10.0.${accounts >> 8}.${accounts & 255}`, ...headers },
  });

function cookieOf(answer: RestAnswer): string {
  return (answer.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? '';
}

const me = (cookie: string) => http('GET', '/api/auth/me', { headers: { cookie } });
const logOut = (cookie: string, headers: Record<string, string> = {}) =>
  http('POST', '/api/auth/logout', { headers: { cookie, ...headers } });

describe('signing in', () => {
  test('answers the account and sets a cookie that scripts and other sites cannot use', async () => {
    const account = await newAccount();
    const answer = await signIn(account);
    expect(answer.json).toMatchObject({
      user: { id: account.id, role: 'user', bot_ids: [] },
      must_change_password: false,
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^session=.*; Path=\/; .*HttpOnly; SameSite=Lax$/),
    ]);
    expect((await me(cookieOf(answer))).json).toMatchObject({
      username: account.username,
      last_login_at: expect.any(String),
    });
  });

  test('works whatever the case of the username, and not with a wrong password or an unknown name', async () => {
    const account = await newAccount();
    expect((await signIn({ ...account, username: account.username.toUpperCase() })).status).toBe(200);
    const wrong = await signIn({ ...account, password: 'not the password' });
    const unknown = await signIn({ username: 'nobody-here', password: 'whatever' });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect({ ...(wrong.json as object), request_id: '' }).toEqual({ ...(unknown.json as object), request_id: '' });
  });

  test('changes the session id, so that a planted one is worth nothing', async () => {
    const attacker = await newAccount();
    const victim = await newAccount();
    const planted = cookieOf(await signIn(attacker));
    const own = cookieOf(await signIn(victim, { cookie: planted }));
    expect(own).not.toBe(planted);
    expect((await me(own)).json).toMatchObject({ username: victim.username });
    expect((await me(planted)).status).toBe(401);
  });

  test('takes no session id of the caller’s making', async () => {
    const account = await newAccount();
    const answer = await signIn(account, { cookie: 'session=s%3Amade-up-by-me.signature' });
    expect(cookieOf(answer)).not.toContain('made-up-by-me');
    expect((await me('session=s%3Amade-up-by-me.signature')).status).toBe(401);
  });

  test('marks the cookie Secure behind a trusted proxy that speaks HTTPS, and not otherwise', async () => {
    const account = await newAccount();
    const secure = await signIn(account, { 'x-forwarded-proto': 'https' });
    expect(secure.headers.getSetCookie()[0]).toContain('; Secure');
    expect((await signIn(account)).headers.getSetCookie()[0]).not.toContain('; Secure');
  });

  test('marks the cookie Secure, and asks browsers to stay on HTTPS, when PUBLIC_URL says so', async () => {
    const account = await newAccount();
    const pod = await api.startPod({ PUBLIC_URL: 'https://bots.example', TRUSTED_PROXIES: '' });
    const answer = await restClient(pod.url)('POST', '/api/auth/login', { body: credentials(account) });
    expect(answer.headers.getSetCookie()[0]).toContain('; Secure');
    expect(answer.headers.get('strict-transport-security')).toContain('max-age=');
  });

  test.each(['passwordsOfAccount', 'passwordsOfAddress'] as const)(
    'with correct passwords is refused after sixty in a minute: %s',
    async (counter) => {
      const account = await newAccount();
      const address = `10.8.0.${account.id % 250}`;
      const counted = counter === 'passwordsOfAddress' ? address : sha256Hex(usernameKey(account.username));
      const key = `${authKeys[counter]}:${counted}`;
      await redis.commands.set(key, 59, 'EX', 60);
      const from = { 'x-forwarded-for': address };
      const allowed = await signIn(account, from);
      expect(allowed.status).toBe(200);
      const left = counter === 'passwordsOfAddress' ? 0 : 59;
      expect(allowed.headers.get('ratelimit')).toMatch(
        new RegExp(`^"sign-in-failures";r=5;t=\\d+, "sign-ins";r=${left};t=\\d+$`),
      );
      const refused = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(() => signIn(account, from)));
      expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429, 429, 429]);
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused[0]?.json).toMatchObject({
        code: 'too_many_requests',
        error: 'Too many sign-ins; try again later',
      });
      await redis.commands.del(key);
      expect((await signIn(account, from)).status).toBe(200);
    },
  );

  test('is refused after five failures of one account, from wherever, until the window has passed', async () => {
    const account = await newAccount();
    const fail = (attempt: number) =>
      http('POST', '/api/auth/login', {
        body: { username: account.username, password: 'wrong' },
        headers: { 'x-forwarded-for': `10.9.0.${attempt}` },
      });
    const many = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map(fail));
    expect(many.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429, 429]);
    const right = await signIn(account, { 'x-forwarded-for': '10.9.1.1' });
    expect(right.status).toBe(429);
    // What others did to the account stays untold.
    expect(right.headers.get('ratelimit')).toMatch(/^"sign-in-failures";r=4;t=\d+$/);
    expect(right.headers.get('ratelimit-policy')).toBe('"sign-in-failures";q=5;w=900');
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(800);
  });

  test('is refused after five failures from one address, and still open to others', async () => {
    const account = await newAccount();
    const from = { 'x-forwarded-for': '10.8.0.1' };
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await signIn({ username: `guess-${attempt}`, password: 'wrong' }, from);
    }
    expect((await signIn(account, from)).status).toBe(429);
    expect((await signIn(account, { 'x-forwarded-for': '10.8.0.2' })).status).toBe(200);
  });

  test('counts a whole network of IPv6 as one address', async () => {
    const account = await newAccount();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const headers = { 'x-forwarded-for': `2001:db8:0:7::${attempt}` };
      await signIn({ username: `six-${attempt}`, password: 'wrong' }, headers);
    }
    expect((await signIn(account, { 'x-forwarded-for': '2001:db8:0:7:1:2:3:4' })).status).toBe(429);
    expect((await signIn(account, { 'x-forwarded-for': '2001:db8:0:8::1' })).status).toBe(200);
  });

  test('does not count what succeeded', async () => {
    const account = await newAccount();
    const from = { 'x-forwarded-for': '10.7.0.1' };
    for (let attempt = 0; attempt < 7; attempt += 1) expect((await signIn(account, from)).status).toBe(200);
  });

  test('believes X-Forwarded-For of trusted proxies only', async () => {
    const account = await newAccount();
    const pod = await api.startPod({ TRUSTED_PROXIES: '' });
    const direct = restClient(pod.url);
    const guess = (attempt: number) =>
      direct('POST', '/api/auth/login', {
        body: { username: `other-${attempt}`, password: 'wrong' },
        headers: { 'x-forwarded-for': `10.6.0.${attempt}` },
      });
    for (let attempt = 0; attempt < 5; attempt += 1) await guess(attempt);
    expect((await direct('POST', '/api/auth/login', { body: credentials(account) })).status).toBe(429);
  });
});

describe('a session', () => {
  test('ends at sign-out', async () => {
    const cookie = cookieOf(await signIn(await newAccount()));
    const answer = await logOut(cookie);
    expect([answer.json, answer.headers.get('clear-site-data')]).toEqual([{ ok: true }, '"cache"']);
    expect((await me(cookie)).status).toBe(401);
  });

  test('works on every pod', async () => {
    const cookie = cookieOf(await signIn(await newAccount()));
    const pod = await api.startPod();
    expect((await restClient(pod.url)('GET', '/api/auth/me', { headers: { cookie } })).status).toBe(200);
  });

  test('outlives a Redis that does not answer in time', async () => {
    const cookie = cookieOf(await signIn(await newAccount()));
    const answerInPause = async () => {
      await Promise.all(redis.servers().map((server) => server.client('PAUSE', LONGER_THAN_A_COMMAND_MAY_TAKE_MS)));
      return (await me(cookie)).status;
    };
    // In one pause of three a connection may be found dead, and what it was told is lost.
    for (let pauses = 0; pauses < 3; pauses += 1) {
      // On a busy machine the pause may be over before the call begins.
      await waitFor(async () => (await answerInPause()) === 503);
      let status = 503;
      await waitFor(async () => {
        status = (await me(cookie)).status;
        return status !== 503;
      });
      expect(status).toBe(200);
    }
  });

  test('is not believed beside a wrong Bearer header', async () => {
    const cookie = cookieOf(await signIn(await newAccount()));
    const answer = await http('GET', '/api/auth/me', { headers: { cookie, authorization: 'Bearer flt_wrong' } });
    expect(answer.status).toBe(401);
    const basic = await http('GET', '/api/auth/me', { headers: { cookie, authorization: 'Basic dTpw' } });
    expect(basic.status).toBe(200);
  });

  test('cannot be used by pages of other sites', async () => {
    const cookie = cookieOf(await signIn(await newAccount()));
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'not a url' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: api.url, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      const answer = await logOut(cookie, headers);
      expect({ headers, status: answer.status }).toEqual({ headers, status: 403 });
    }
    expect((await me(cookie)).status).toBe(200);
    const behindProxy = { 'x-forwarded-host': 'bots.example', origin: 'https://bots.example' };
    expect((await http('POST', KEYS, { headers: { cookie, ...behindProxy }, body: { name: 'x' } })).status).toBe(200);
    expect((await logOut(cookie, { origin: api.url, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  test('moves no cursor by a link from another site: a poll acknowledges, though it is a GET', async () => {
    const cookie = cookieOf(await signIn(await newAccount({ role: 'admin' })));
    const poll = (headers: Record<string, string>) =>
      http('GET', '/api/updates/poll', { query: { bot_id: 999_999, offset: 9 }, headers: { cookie, ...headers } });
    for (const site of ['cross-site', 'same-site']) expect((await poll({ 'sec-fetch-site': site })).status).toBe(403);
    expect((await poll({ origin: 'https://evil.example' })).status).toBe(403);
    for (const site of ['none', 'same-origin']) expect((await poll({ 'sec-fetch-site': site })).status).toBe(404);
    const headers = { cookie, 'sec-fetch-site': 'cross-site' };
    expect((await http('GET', '/api/bots', { headers })).status).toBe(200);
  });

  test('lets pages of other sites not sign somebody in over it either', async () => {
    const account = await newAccount();
    const cookie = cookieOf(await signIn(account));
    expect((await signIn(account, { cookie, origin: 'https://evil.example' })).status).toBe(403);
  });

  test('is not begun by pages of other sites, also where there is no cookie yet', async () => {
    const account = await newAccount();
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as const) {
      const answer = await signIn(account, headers);
      expect(answer).toMatchObject({ status: 403, json: { code: 'forbidden' } });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect((await signIn(account, { origin: api.url, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await signIn(account)).status).toBe(200);
  });

  test('is used with JSON or urlencoded bodies, never with text/plain', async () => {
    const account = await newAccount();
    const cookie = cookieOf(await signIn(account));
    const answer = await http('POST', '/api/auth/api-keys', {
      body: '{"name":"a key"}',
      headers: { cookie, 'content-type': 'text/plain' },
    });
    expect(answer.status).toBe(415);
  });
});

describe('changing the password', () => {
  const change = (cookie: string, account: TestAccount, given: Record<string, string> = {}) =>
    http('POST', '/api/auth/change-password', {
      headers: { cookie, 'x-forwarded-for': `10.5.0.${account.id % 250}` },
      body: { old_password: account.password, new_password: 'a new password', ...given },
    });

  test('ends the other sessions of the account on every pod, and keeps this one', async () => {
    const account = await newAccount();
    const [here, there] = [cookieOf(await signIn(account)), cookieOf(await signIn(account))];
    const pod = restClient((await api.startPod()).url);
    const onPod = (cookie: string) => pod('GET', '/api/auth/me', { headers: { cookie } });
    expect((await onPod(there)).status).toBe(200);

    const changed = await change(here, account);
    expect(changed.json).toEqual({ ok: true });
    await waitFor(async () => (await onPod(there)).status === 401, { timeoutMs: 5000 });
    const kept = cookieOf(changed);
    await waitFor(async () => (await me(kept)).status === 200, { timeoutMs: 5000 });
    await waitFor(async () => (await onPod(kept)).status === 200, { timeoutMs: 5000 });
    expect(kept).not.toBe(here);
    expect((await signIn(account)).status).toBe(401);
    expect((await signIn({ ...account, password: 'a new password' })).status).toBe(200);
  });

  test('needs the old one, and another one of ten characters', async () => {
    const account = await newAccount();
    const cookie = cookieOf(await signIn(account));
    const faults = async (given: Record<string, string>) => (await change(cookie, account, given)).json;
    expect(await faults({ old_password: 'wrong' })).toMatchObject({ details: [{ path: 'old_password' }] });
    expect(await faults({ new_password: 'too short' })).toMatchObject({ details: [{ path: 'new_password' }] });
    expect(await faults({ new_password: account.password })).toMatchObject({ details: [{ path: 'new_password' }] });
  });

  test('limits guesses of the old one like a sign-in', async () => {
    const account = await newAccount();
    const cookie = cookieOf(await signIn(account));
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      statuses.push((await change(cookie, account, { old_password: 'wrong' })).status);
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  });

  test('counts as a guess only what is a wrong old password', async () => {
    const account = await newAccount();
    const cookie = cookieOf(await signIn(account));
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const same = await change(cookie, account, { new_password: account.password });
      expect(same).toMatchObject({ status: 400, json: { details: [{ path: 'new_password' }] } });
    }
    expect((await change(cookie, account)).status).toBe(200);
  });

  test('must come first where the account is told to, for its sessions; its keys go on', async () => {
    const account = await newAccount({ mustChangePassword: true, role: 'admin' });
    const signedIn = await signIn(account);
    const cookie = cookieOf(signedIn);
    expect(signedIn.json).toMatchObject({ must_change_password: true });
    const list = (headers: Record<string, string>) => http('GET', '/api/bots', { headers });
    expect((await list({ cookie })).json).toMatchObject({
      code: 'forbidden',
      error: 'The password must be changed first',
    });
    expect((await list({ authorization: `Bearer ${account.key}` })).status).toBe(200);
    expect((await me(cookie)).status).toBe(200);
    const changed = await change(cookie, account);
    const kept = cookieOf(changed);
    await waitFor(async () => (await list({ cookie: kept })).status === 200, { timeoutMs: 5000 });
  });
});

describe('a session, whatever it does,', () => {
  const DAY_MS = 24 * 3_600_000;
  const at = (ms: number) => mock.timers.setTime(ms);
  const signInAt = (pod: RestClient, account: TestAccount) =>
    pod('POST', '/api/auth/login', {
      body: credentials(account),
      headers: { 'x-forwarded-for': `10.3.0.${account.id % 250}` },
    });
  const from = (cookie: string) => ({ cookie, 'x-forwarded-for': '10.3.1.1' });
  /** The end of a session by its record, and how long Redis keeps it without use. */
  const recordOf = async (cookie: string) => {
    const key = authKeys.session(/^session=s:([^.]+)\./.exec(decodeURIComponent(cookie))?.[1] ?? '');
    const record = JSON.parse((await redis.commands.get(key)) ?? '{}') as { endsAtMs?: number };
    return { ...record, key, forgottenInMs: await redis.commands.pttl(key) };
  };

  // Only the date is faked. A session in use lives on for seven days at a time, up to thirty days in all.
  beforeEach(() => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  test('ends thirty days after the sign-in, and so does its cookie', async () => {
    // A new api, because a running one has cached what it read at an earlier date.
    const pod = restClient((await api.startPod()).url);
    const beganAtMs = Date.now();
    const answer = await signInAt(pod, await newAccount());
    const expires = Date.parse(/Expires=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? '');
    expect(Math.abs(expires - beganAtMs - 30 * DAY_MS)).toBeLessThan(60_000);
    const headers = { cookie: cookieOf(answer) };
    for (const day of [6, 12, 18, 24, 29.9]) {
      at(beganAtMs + day * DAY_MS);
      expect([day, (await pod('GET', '/api/auth/me', { headers })).status]).toEqual([day, 200]);
    }
    expect((await recordOf(headers.cookie)).forgottenInMs).toBeLessThan(0.11 * DAY_MS);
    at(beganAtMs + 30 * DAY_MS + 60_000);
    expect((await pod('GET', '/api/auth/me', { headers })).status).toBe(401);
  });

  test('ends then also when the password was changed meanwhile', async () => {
    const pod = restClient((await api.startPod()).url);
    const account = await newAccount();
    const beganAtMs = Date.now();
    const opened = await signInAt(pod, account);
    at(beganAtMs + 29 * DAY_MS);
    const body = { old_password: account.password, new_password: 'a new password' };
    const changed = await pod('POST', '/api/auth/change-password', { body, headers: from(cookieOf(opened)) });
    const headers = { cookie: cookieOf(changed) };
    expect((await pod('GET', '/api/auth/me', { headers })).status).toBe(200);
    at(beganAtMs + 30 * DAY_MS + 60_000);
    expect((await pod('GET', '/api/auth/me', { headers })).status).toBe(401);
  });
});

describe('own sessions', () => {
  type Shown = { id: string; current: boolean; address?: string; user_agent?: string; created_at?: string };
  const list = async (headers: Record<string, string>) => {
    const answer = await http('GET', '/api/auth/sessions', { headers });
    expect(answer.status).toBe(200);
    return answer.json as Shown[];
  };
  const end = (headers: Record<string, string>, id: string) =>
    http('POST', '/api/auth/sessions/end', { headers, body: { id } });
  const secretOf = (cookie: string) => /^session=s:([^.]+)\./.exec(decodeURIComponent(cookie))?.[1] ?? '';

  test('are listed with who opened them, and never with the secret in their cookie', async () => {
    const account = await newAccount();
    const first = await signIn(account, { 'x-forwarded-for': '10.2.0.1', 'user-agent': 'a browser'.repeat(100) });
    const second = cookieOf(await signIn(account, { 'x-forwarded-for': '10.2.0.2', 'user-agent': 'a phone' }));
    const foreign = await list({ cookie: cookieOf(await signIn(await newAccount())) });
    const answer = await http('GET', '/api/auth/sessions', { headers: { cookie: second } });
    const [newest, older, ...others] = answer.json as Shown[];
    expect(others).toEqual([]);
    expect(newest).toMatchObject({ current: true, address: '10.2.0.2', user_agent: 'a phone' });
    expect(older).toMatchObject({ current: false, address: '10.2.0.1', created_at: expect.any(String) });
    expect(older?.user_agent).toHaveLength(200);
    expect(foreign).toMatchObject([{ current: true }]);
    for (const cookie of [cookieOf(first), second]) expect(answer.text).not.toContain(secretOf(cookie));
  });

  test('are paged like every list', async () => {
    const account = await newAccount();
    const cookies = [cookieOf(await signIn(account)), cookieOf(await signIn(account)), cookieOf(await signIn(account))];
    const page = (path: string) => http('GET', path, { headers: { cookie: cookies[0]! } });
    const all = (await page('/api/auth/sessions')).json as Shown[];
    const first = await page('/api/auth/sessions?limit=2');
    expect(first.json).toMatchObject([{ id: all[0]?.id }, { id: all[1]?.id }]);
    expect(first.headers.get('x-total-count')).toBe('3');
    const next = /<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await page(next);
    expect(second.json).toMatchObject([{ id: all[2]?.id }]);
    expect(second.headers.get('link')).toBeNull();
  });

  test('end on every pod, this one too, and leave an audit entry; those of others cannot be ended', async () => {
    const account = await newAccount();
    const [here, there] = [cookieOf(await signIn(account)), cookieOf(await signIn(account))];
    const pod = restClient((await api.startPod()).url);
    const onPod = (cookie: string) => pod('GET', '/api/auth/me', { headers: { cookie } });
    expect((await onPod(there)).status).toBe(200);
    const [current, other] = [true, false].map(async (isCurrent) => {
      const found = (await list({ cookie: here })).find((session) => session.current === isCurrent);
      return found?.id ?? '';
    });
    const stranger = cookieOf(await signIn(await newAccount()));
    for (const id of [await other!, 'no-such-session']) {
      expect(await end({ cookie: stranger }, id)).toMatchObject({ status: 404, json: { error: 'Session not found' } });
    }
    expect((await end({ cookie: here }, await other!)).json).toEqual({ ok: true });
    await waitFor(async () => (await onPod(there)).status === 401, { timeoutMs: 5000 });
    expect(await list({ cookie: here })).toMatchObject([{ current: true }]);
    expect((await end({ cookie: here }, await other!)).status).toBe(404);
    const last = await end({ cookie: here }, await current!);
    expect([last.status, last.headers.getSetCookie()[0]]).toEqual([200, expect.stringMatching(/^session=;/)]);
    await waitFor(async () => (await onPod(here)).status === 401, { timeoutMs: 5000 });
    const entries = await api.admin('GET', '/api/adminlog', {
      query: { action: 'session_end', actor: account.username },
    });
    const by = { actor_kind: 'account', actor_id: account.id, details: expect.stringContaining('address') };
    expect(entries.json).toMatchObject([by, by]);
  });

  test('are a hundred at most: one more ends the one that was unused the longest', async () => {
    const account = await newAccount();
    const [first, second] = [cookieOf(await signIn(account)), cookieOf(await signIn(account))];
    const key = authKeys.sessionsOf(account.id);
    const others = Array.from({ length: 98 }, (_, at) => [Date.now() - 1000 - at, `other-${at}`]).flat();
    await redis.commands.zadd(key, ...others, Date.now() - 5000, secretOf(first));
    expect(await redis.commands.zcard(key)).toBe(100);
    await signIn(account);
    expect(await redis.commands.zcard(key)).toBe(100);
    expect([(await me(first)).status, (await me(second)).status]).toEqual([401, 200]);
    // The others have no record, as sessions that have ended: the list forgets them.
    expect(await list({ cookie: second })).toHaveLength(2);
    expect(await redis.commands.zcard(key)).toBe(2);
  });

  test('are not found by a key that may do less than its account', async () => {
    const cookie = cookieOf(await signIn(await newAccount({ role: 'admin' })));
    const [{ id } = { id: '' }] = await list({ cookie });
    const make = async (fields: object) => {
      const made = await http('POST', KEYS, { headers: { cookie }, body: { name: 'a key', ...fields } });
      return { authorization: `Bearer ${(made.json as { key: string }).key}` };
    };
    expect(await list(await make({ role: 'admin' }))).toMatchObject([{ id, current: false }]);
    for (const narrow of [{ role: 'user' }, { bot_ids: [] }, { expires_at: '2099-01-01T00:00:00Z' }]) {
      const headers = await make({ role: 'admin', ...narrow });
      expect(await list(headers)).toEqual([]);
      expect((await end(headers, id)).status).toBe(404);
    }
  });
});

test('a role change ends the sessions of the account everywhere', async () => {
  const account = await newAccount({ role: 'admin' });
  const cookie = cookieOf(await signIn(account));
  expect((await me(cookie)).status).toBe(200);
  const { db } = api.database;
  await changeCredentials({ db, redis, clock: systemClock, log }, () =>
    db
      .updateTable('accounts')
      .set((row) => ({ role: 'user', session_version: row('session_version', '+', 1) }))
      .where('id', '=', account.id)
      .execute(),
  );
  await waitFor(async () => (await me(cookie)).status === 401, { timeoutMs: 5000 });
});

test('nothing that signs in is in the log', async () => {
  const account = await newAccount();
  const query = { username: account.username, password: account.password };
  const answer = await http('POST', '/api/auth/login', { query, headers: { 'x-forwarded-for': '10.4.0.1' } });
  expect(answer.status).toBe(200);
  const cookie = cookieOf(answer);
  await me(cookie);
  await restClient(api.url, ADMIN_KEY)('GET', '/api/auth/me', { query: { key: ADMIN_KEY } });
  await waitFor(() => api.logLines.filter((line) => line.includes('/api/auth/me')).length > 1);
  const logged = api.logLines.join('');
  for (const secret of [account.password, account.key, ADMIN_KEY, decodeURIComponent(cookie.slice(10, 40))]) {
    expect(logged.includes(secret)).toBe(false);
  }
});

function credentials({ username, password }: TestAccount): { username: string; password: string } {
  return { username, password };
}

describe('A link that signs in', () => {
  const linkOf = async ({ username }: TestAccount) => {
    const { account } = (await findAccount(api.database.db, username))!;
    return makeSignInLink({ db: api.database.db, redis, clock: systemClock }, account);
  };
  const open = (token: string, headers: Record<string, string> = {}) =>
    http('POST', '/api/auth/sign-in-link', { body: { token }, headers });

  test('works once, ends within 15 minutes, and leaves nothing of itself in Redis', async () => {
    const account = await newAccount();
    const token = await linkOf(account);
    const key = authKeys.signInLink(sha256Hex(token));
    expect(await redis.commands.pttl(key)).toBeLessThanOrEqual(15 * 60_000);
    expect(await redis.commands.get(key)).not.toContain(token);
    const opened = await open(token);
    expect((await me(cookieOf(opened))).json).toMatchObject({ username: account.username });
    expect((await open(token)).status).toBe(401);
    expect(await redis.commands.get(key)).toBeNull();
  });

  test('is replaced by the next one of its account, and ended by a sign-in with the password', async () => {
    const account = await newAccount();
    const [first, second] = [await linkOf(account), await linkOf(account)];
    expect((await open(first)).status).toBe(401);
    await signIn(account);
    expect((await open(second)).status).toBe(401);
    expect((await open(await linkOf(account))).status).toBe(200);
  });

  test('is over once the password has changed, and is refused to pages of other sites', async () => {
    const account = await newAccount();
    expect((await open(await linkOf(account), { origin: 'https://elsewhere.example' })).status).toBe(403);
    const cookie = cookieOf(await signIn(account));
    const token = await linkOf(account);
    const body = { old_password: account.password, new_password: `${account.password}-anew` };
    // Other tests have reached the limit of their address.
    const headers = { cookie, 'x-forwarded-for': '10.9.9.9' };
    expect((await http('POST', '/api/auth/change-password', { body, headers })).status).toBe(200);
    for (const one of [token, 'x'.repeat(43)]) expect((await open(one)).status).toBe(401);
  });
});
