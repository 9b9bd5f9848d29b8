import type { AccountResource } from '@flotilla/contract/accounts.ts';
import { usernameKey } from '@flotilla/domain/people/accounts/username-key.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { type RestAnswer, restClient } from '@flotilla/testing/rest-client.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const PASSWORD = 'a password of theirs';
const SPELLINGS = ['Ångström', 'A\u030angstro\u0308m', 'ÅNGSTRÖM', '\u212bngstro\u0308m', 'ÅＮＧｓｔröｍ'];

const api = testApi({ TRUSTED_PROXIES: '127.0.0.0/8' });
let addresses = 0;

let redis: RedisHandles;

beforeAll(async () => {
  redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
  api.endBefore(redis.close);
});

const signIn = (username: string, password = PASSWORD, from?: string): Promise<RestAnswer> => {
  addresses += 1;
  const address = from ?? `10.1.${addresses >> 8}.${addresses & 255}`;
  const call = { body: { username, password }, headers: { 'x-forwarded-for': address } };
  return restClient(api.url)('POST', '/api/auth/login', call);
};
const post = (what: string, body: object) => api.admin('POST', `/api/auth/users/${what}`, { body });
const whoSignsIn = async (username: string, password = PASSWORD) =>
  ((await signIn(username, password)).json as { user?: AccountResource }).user?.username;

describe('a username', () => {
  test('is one name in every spelling: to sign in, for a second account and for another name', async () => {
    expect((await post('add', { username: SPELLINGS[0], password: PASSWORD })).status).toBe(200);
    const other = (await post('add', { username: 'somebody else', password: PASSWORD })).json as AccountResource;
    for (const spelling of SPELLINGS) {
      expect([spelling, await whoSignsIn(spelling)]).toEqual([spelling, SPELLINGS[0]]);
      expect([spelling, (await post('add', { username: spelling, password: PASSWORD })).status]).toEqual([
        spelling,
        409,
      ]);
      expect([spelling, (await post('update', { id: other.id, username: spelling })).status]).toEqual([spelling, 409]);
    }
    expect((await post('update', { id: other.id, username: 'Somebody Else' })).status).toBe(200);
    expect(await whoSignsIn('SOMEBODY ELSE')).toBe('Somebody Else');
  });

  test('is guessed at five times in a quarter of an hour, in whatever spellings', async () => {
    await post('add', { username: 'ｇｕｅｓｓｅｄ ⅷ', password: PASSWORD });
    const spellings = [
      'guessed viii',
      'GUESSED VIII',
      'ｇｕｅｓｓｅｄ ⅷ',
      'Guessed Ⅷ',
      'guessed ⅷ',
      'ｇuessed viii',
      'gueßed VIII',
    ];
    const statuses: number[] = [];
    for (const spelling of spellings) statuses.push((await signIn(spelling, 'wrong')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await signIn('guessed viii')).status).toBe(429);
  });
});

describe('whoever guesses a password', () => {
  const guess = async (username: string, times: number, from?: string) => {
    const statuses: number[] = [];
    for (let at = 0; at < times; at += 1) statuses.push((await signIn(username, 'wrong', from)).status);
    return statuses;
  };

  test('does not lock the owner out from an address that has signed in before', async () => {
    await post('add', { username: 'owner', password: PASSWORD });
    const [home, homeNetwork] = ['10.200.0.1', '2001:db8:5:5::1'];
    expect((await signIn('owner', PASSWORD, home)).status).toBe(200);
    expect((await signIn('owner', PASSWORD, homeNetwork)).status).toBe(200);
    expect(await guess('Owner', 7)).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await signIn('owner', PASSWORD, '10.200.0.2')).status).toBe(429);
    expect((await signIn('owner', PASSWORD, home)).status).toBe(200);
    expect((await signIn('owner', PASSWORD, '2001:db8:5:5:9::9')).status).toBe(200);
    // The owner's success gives the others no new tries.
    expect((await guess('owner', 1))[0]).toBe(429);
  });

  test('from such an address has a limit there, too, which does not lock out others', async () => {
    await post('add', { username: 'neighbour', password: PASSWORD });
    const home = '10.201.0.1';
    expect((await signIn('neighbour', PASSWORD, home)).status).toBe(200);
    expect(await guess('neighbour', 6, home)).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await signIn('neighbour', PASSWORD, home)).status).toBe(429);
    expect((await signIn('neighbour', PASSWORD, '10.201.0.2')).status).toBe(200);
  });

  test('leaves nothing in the list of such addresses, which holds the newest twenty and is forgotten', async () => {
    await post('add', { username: 'traveller', password: PASSWORD });
    const listOf = (username: string) => authKeys.signedInFrom(sha256Hex(usernameKey(username)));
    expect(await guess('traveller', 1, '10.202.1.1')).toEqual([401]);
    expect(await guess('nobody at all', 1, '10.202.1.2')).toEqual([401]);
    for (const name of ['traveller', 'nobody at all']) expect(await redis.commands.exists(listOf(name))).toBe(0);
    for (let at = 0; at < 22; at += 1) {
      expect((await signIn('traveller', PASSWORD, `10.202.0.${at}`)).status).toBe(200);
    }
    const known = await redis.commands.zrange(listOf('traveller'), 0, '-1');
    expect(known).toHaveLength(20);
    expect(known).toContain('10.202.0.21');
    expect(known).not.toContain('10.202.0.0');
    expect(await redis.commands.pttl(listOf('traveller'))).toBeGreaterThan(0);
  });
});
