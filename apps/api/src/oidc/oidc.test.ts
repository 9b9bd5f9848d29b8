import type { AccountResource } from '@flotilla/contract/accounts.ts';
import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import { type IdentityProvider, startIdentityProvider } from '@flotilla/testing/identity-provider.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_PASSWORD, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const SECRET = 'a-client-secret-of-this-test';
const HOUR_MS = 3_600_000;

let provider: IdentityProvider;
let api: TestApi;
let settings: Record<string, string>;
let people = 0;

beforeAll(async () => {
  provider = await startIdentityProvider();
  settings = {
    PUBLIC_URL: 'http://flotilla.test',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'flotilla',
    OIDC_CLIENT_SECRET: SECRET,
    OIDC_NAME: 'Example',
    TRUSTED_PROXIES: '127.0.0.0/8',
  };
  api = await startTestApi(settings);
}, 60_000);

afterAll(async () => {
  await api?.stop();
  await provider?.stop();
});

beforeEach(() => {
  people += 1;
  provider.person = { sub: `sub-${people}`, preferred_username: `person-${people}`, name: 'A Person' };
  provider.forge = {};
  provider.userinfo = {};
});

/** A browser with one cookie jar, which follows no redirect by itself. */
function browser(url: string, cookies = new Map<string, string>()) {
  const http = restClient(url);
  return {
    cookies,
    async get(path: string, more: Record<string, string> = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { cookie, 'x-forwarded-for': `10.9.${people >> 8}.${people & 255}`, ...more };
      const answer = await http('GET', path, { headers });
      for (const set of answer.headers.getSetCookie()) {
        const [name, value] = set.split(';', 1)[0]!.split('=', 2) as [string, string];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return answer;
    },
  };
}

type Browser = ReturnType<typeof browser>;

const locationOf = ({ headers }: { headers: Headers }) => headers.get('location') ?? '';

/** Goes to the provider, and returns the address to which it sends the browser back. */
async function atProvider(of: Browser, returnTo = '/console/inbox'): Promise<URL> {
  const begun = await of.get(`/api/auth/oidc/start?return_to=${encodeURIComponent(returnTo)}`);
  const answered = await fetch(locationOf(begun), { redirect: 'manual' });
  return new URL(answered.headers.get('location')!);
}

const back = (of: Browser, { pathname, search }: URL) => of.get(pathname + search);

async function signedIn(url = api.url): Promise<{ of: Browser; location: string; me: AccountResource }> {
  const of = browser(url);
  const location = locationOf(await back(of, await atProvider(of)));
  return { of, location, me: (await of.get('/api/auth/me')).json as AccountResource };
}

const update = (body: object) => api.admin('POST', '/api/auth/users/update', { body });

async function newestAudit(action: string): Promise<AuditEntryResource> {
  const { json } = await api.admin('GET', '/api/adminlog', { query: { action, limit: 1 } });
  return (json as AuditEntryResource[])[0]!;
}

describe('signing in at the identity provider', () => {
  test('makes an account at the first time, and finds it by issuer and subject the next time', async () => {
    const first = await signedIn();
    expect(first.location).toBe('/console/inbox');
    expect(first.me).toMatchObject({
      username: `person-${people}`,
      display_name: 'A Person',
      role: 'user',
      bot_ids: [],
    });
    provider.person = { sub: `sub-${people}`, preferred_username: 'renamed-there' };
    expect((await signedIn()).me).toMatchObject({ id: first.me.id, username: first.me.username });
    expect(await newestAudit('sign_in')).toMatchObject({ actor_username: first.me.username, details: 'by OIDC' });
  });

  test('asks with PKCE, a state and a nonce, and says what people may choose from', async () => {
    const begun = new URL(locationOf(await browser(api.url).get('/api/auth/oidc/start')));
    expect(Object.fromEntries(begun.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: 'http://flotilla.test/api/auth/oidc/callback',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect((await browser(api.url).get('/api/auth/ways')).json).toEqual({
      password: true,
      oidc: { name: 'Example', start_url: 'http://flotilla.test/api/auth/oidc/start' },
    });
  });

  test('opens a session that ends after OIDC_SESSION_HOURS, when the provider is asked again', async () => {
    const pod = await api.startPod({ OIDC_SESSION_HOURS: '2' });
    const { of } = await signedIn(pod.url);
    const [session] = (await of.get('/api/auth/sessions')).json as { expires_at: string }[];
    expect(Date.parse(session!.expires_at) - Date.now()).toBeLessThanOrEqual(2 * HOUR_MS);
  });

  test('goes on after the provider changed its keys, and while its clock is half a minute off', async () => {
    await signedIn();
    await provider.rotateKeys();
    expect((await signedIn()).location).toBe('/console/inbox');
    const nowS = Math.floor(Date.now() / 1000);
    provider.forge = { claims: { iat: nowS - 3600, nbf: nowS + 30, exp: nowS - 30 } };
    expect((await signedIn()).location).toBe('/console/inbox');
  });

  test('leaves no code, secret or token in the log', async () => {
    const of = browser(api.url);
    const callback = await atProvider(of);
    await back(of, callback);
    const code = callback.searchParams.get('code')!;
    for (const secret of [code, callback.searchParams.get('state')!, SECRET]) {
      expect(api.logLines.filter((line) => line.includes(secret))).toEqual([]);
    }
  });
});

describe('an answer that does not belong to the sign-in is refused', () => {
  const nowS = Math.floor(Date.now() / 1000);
  const forgeries: [string, Partial<IdentityProvider['forge']>][] = [
    ['another issuer beside the code (mix-up)', { redirect: (query) => query.set('iss', 'https://evil.example') }],
    ['two codes', { redirect: (query) => query.append('code', 'another') }],
    ['a code of somebody else (PKCE)', { redirect: (query) => query.set('code', 'stolen') }],
    ['another nonce', { claims: { nonce: 'of another sign-in' } }],
    ['a token of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['a token for another client', { claims: { aud: 'another-client' } }],
    ['a token that ended two minutes ago', { claims: { exp: nowS - 120 } }],
    ['a changed token', { idToken: (token) => withClaims(token, { sub: 'the-admin' }) }],
    ['a token without a signature', { idToken: unsigned }],
    ['no token', { idToken: () => '' }],
  ];

  test.each(forgeries)('%s', async (_name, forge) => {
    const of = browser(api.url);
    provider.forge = forge;
    expect(locationOf(await back(of, await atProvider(of)))).toBe('/console/?sign_in=failed');
    expect((await of.get('/api/auth/me')).status).toBe(401);
  });

  test('for another browser, for a planted cookie, and a second time', async () => {
    const of = browser(api.url);
    const callback = await atProvider(of);
    const other = browser(api.url, new Map([['oidc', 'planted-by-somebody']]));
    expect(locationOf(await back(other, callback))).toBe('/console/?sign_in=not_begun');
    const again = new Map(of.cookies);
    expect(locationOf(await back(of, callback))).toBe('/console/inbox');
    expect(locationOf(await back(browser(api.url, again), callback))).toBe('/console/?sign_in=not_begun');
  });

  test('with another state or none, and ends nothing, as no link on a page of another site does', async () => {
    const of = browser(api.url);
    const callback = await atProvider(of);
    for (const query of [`code=forged&state=${'x'.repeat(43)}`, 'error=access_denied', '']) {
      const forged = await of.get(`${callback.pathname}?${query}`, { 'sec-fetch-site': 'cross-site' });
      expect(locationOf(forged)).toBe('/console/?sign_in=not_begun');
    }
    const begun = await of.get('/api/auth/oidc/start', { 'sec-fetch-site': 'cross-site' });
    expect(locationOf(begun)).toBe('/console/');
    expect(locationOf(await back(of, callback))).toBe('/console/inbox');
    const fromPortal = await browser(api.url).get('/api/auth/oidc/start', { 'sec-fetch-site': 'cross-site' });
    expect(locationOf(fromPortal)).toContain(provider.issuer);
  });

  test('and a refusal of the provider is told as one', async () => {
    const of = browser(api.url);
    provider.forge = {
      redirect: (query) => {
        query.delete('code');
        query.set('error', 'access_denied');
      },
    };
    expect(locationOf(await back(of, await atProvider(of)))).toBe('/console/?sign_in=denied');
  });
});

test('a session id that was planted before is worth nothing', async () => {
  const { of: attacker } = await signedIn();
  const planted = attacker.cookies.get('session')!;
  provider.person = { sub: 'victim', preferred_username: 'victim' };
  const victim = browser(api.url, new Map([['session', planted]]));
  await back(victim, await atProvider(victim));
  expect(victim.cookies.get('session')).not.toBe(planted);
  expect((await browser(api.url, new Map([['session', planted]])).get('/api/auth/me')).status).toBe(401);
  expect((await victim.get('/api/auth/me')).json).toMatchObject({ username: 'victim' });
});

test.each([
  'https://evil.example/console/',
  '//evil.example/console/',
  '/\\evil.example/console/',
  '/console/../api/bots',
  '/console\\..\\..\\evil',
  'javascript:alert(1)',
  '/docs',
])('nobody is sent elsewhere after it: %s', async (returnTo) => {
  const of = browser(api.url);
  expect(locationOf(await back(of, await atProvider(of, returnTo)))).toBe('/console/');
});

test('over HTTPS the cookie of a sign-in is Secure, and only this host can set it', async () => {
  const pod = await api.startPod({ PUBLIC_URL: 'https://flotilla.test' });
  const begun = await browser(pod.url).get('/api/auth/oidc/start');
  expect(begun.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-oidc=[\w-]{43}; Max-Age=600; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/),
  ]);
});

test('while the provider is away, that is said, and passwords work', async () => {
  const account = await insertAccount(api.database.db, { username: `local-${people}` });
  await provider.stop();
  try {
    expect(locationOf(await browser(api.url).get('/api/auth/oidc/start'))).toBe('/console/?sign_in=provider_away');
    expect((await passwordSignIn(restClient(api.url), account)).status).toBe(200);
  } finally {
    await provider.restart();
  }
});

test('without passwords only the local admin may use one', async () => {
  const account = await insertAccount(api.database.db, { username: `local-${people}`, role: 'admin' });
  const pod = await api.startPod({ SIGN_IN: 'oidc' });
  const http = restClient(pod.url);
  const refused = await passwordSignIn(http, account);
  expect([refused.status, refused.json]).toEqual([
    403,
    expect.objectContaining({ error: expect.stringContaining('Example') }),
  ]);
  expect((await passwordSignIn(http, { username: 'ADMIN', password: ADMIN_PASSWORD })).status).toBe(200);
  expect((await http('GET', '/api/auth/ways')).json).toMatchObject({ password: false });
});

describe('an account', () => {
  test('of the same username is not taken over, until an admin links it', async () => {
    const local = await insertAccount(api.database.db, { username: `Person-${people}` });
    expect((await signedIn()).location).toBe('/console/?sign_in=username_taken');
    const refusal = await newestAudit('sign_in_refuse');
    expect(refusal).toMatchObject({ target_id: local.id, details: expect.stringContaining(`"sub-${people}"`) });
    expect((await update({ id: local.id, oidc_subject: `sub-${people}` })).status).toBe(200);
    expect((await signedIn()).me).toMatchObject({ id: local.id });
    const other = await insertAccount(api.database.db, { username: `other-${people}` });
    expect((await update({ id: other.id, oidc_subject: `sub-${people}` })).status).toBe(409);
  });

  test('belongs to one person: two with the same e-mail get two', async () => {
    const email = `shared-${people}@example.com`;
    provider.person = { sub: `one-${people}`, preferred_username: `one-${people}`, email };
    const one = await signedIn();
    provider.person = { sub: `two-${people}`, preferred_username: `two-${people}`, email };
    expect((await signedIn()).me.id).not.toBe(one.me.id);
  });

  test('is not made with OIDC_CREATE_ACCOUNTS=0', async () => {
    const pod = await api.startPod({ OIDC_CREATE_ACCOUNTS: '0' });
    expect((await signedIn(pod.url)).location).toBe('/console/?sign_in=no_account');
  });

  test('loses its sessions when it is unlinked', async () => {
    const { of, me } = await signedIn();
    await update({ id: me.id, oidc_subject: null });
    await waitFor(async () => (await of.get('/api/auth/me')).status === 401);
  });

  test('gets its role and bots from the claims at each sign-in, and its keys follow', async () => {
    const bot = await api.addBot();
    const pod = await api.startPod({
      OIDC_ROLE_CLAIM: 'realm_access.roles',
      OIDC_ADMIN_VALUES: 'fleet-admins, others',
      OIDC_BOTS_CLAIM: 'bots',
    });
    provider.person.realm_access = { roles: ['staff', 'fleet-admins'] };
    const asAdmin = await signedIn(pod.url);
    expect(asAdmin.me).toMatchObject({ role: 'admin', bot_ids: null });
    const key = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'of them', user_id: asAdmin.me.id } });
    provider.person.realm_access = { roles: ['staff'] };
    provider.userinfo = { bots: [`@${bot.username}`, 'unknown_bot', 'label:shop'] };
    const asUser = await signedIn(pod.url);
    expect(asUser.me).toMatchObject({ id: asAdmin.me.id, role: 'user', bot_ids: [bot.id], bot_labels: ['shop'] });
    expect((await asAdmin.of.get('/api/auth/me')).status).toBe(401);
    const ofKey = restClient(pod.url, (key.json as { key: string }).key);
    expect((await ofKey('GET', '/api/auth/me')).json).toMatchObject({ api_key: { role: 'user', bot_ids: [bot.id] } });
    expect(await newestAudit('account_update')).toMatchObject({
      target_id: asUser.me.id,
      details: expect.stringContaining('as the identity provider says'),
    });
  });
});

test('settings of OIDC that do not fit together are named at the start', async () => {
  await expect(api.startPod({ OIDC_CLIENT_ID: '', OIDC_ROLE_CLAIM: 'groups' })).rejects.toThrow(
    /OIDC_CLIENT_ID: is required[\s\S]*OIDC_ROLE_CLAIM, OIDC_ADMIN_VALUES/,
  );
  await expect(api.startPod({ OIDC_ISSUER: 'http://login.example' })).rejects.toThrow(/must be https/);
  await expect(api.startPod({ OIDC_ISSUER: '', SIGN_IN: 'oidc' })).rejects.toThrow(/needs OIDC_ISSUER/);
});

const passwordSignIn = (http: RestClient, { username, password }: { username: string; password: string }) =>
  http('POST', '/api/auth/login', {
    body: { username, password },
    headers: { 'x-forwarded-for': `10.10.${people >> 8}.${people & 255}` },
  });

function withClaims(token: string, claims: object): string {
  const [head, payload, signature] = token.split('.') as [string, string, string];
  const changed = { ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as object), ...claims };
  return [head, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
}

function unsigned(token: string): string {
  const head = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
  return [head, token.split('.')[1], ''].join('.');
}
