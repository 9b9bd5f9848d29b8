import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type RedisServer, startRedisServer } from '@flotilla/testing/redis-server.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const TRIES = 10;
/** This limit marks the test's own calls in the platform's record. */
const LIMIT = '77';
/** This Redis user may not subscribe: an api that does not ask learns of a change up to a second late. */
const DEAF = ['deaf', 'on', '>deaf', '~*', '&*', '+@all', '-subscribe'];

let fleet: Fleet;
let redis: RedisServer;
let here: RestClient;
let elsewhere: RestClient;
let elsewhereUrl: string;

beforeAll(async () => {
  redis = await startRedisServer({});
  const { port } = redis;
  fleet = await startFleet({ apis: 1, workers: 0 }, {}, undefined, { port, url: `redis://127.0.0.1:${port}` });
  await redis.connection.call('ACL', 'SETUSER', ...DEAF);
  const deaf = await fleet.start('api', { REDIS_URL: `redis://deaf:deaf@127.0.0.1:${port}` });
  here = restClient(`http://127.0.0.1:${fleet.apis[0]!.port}`, ADMIN_KEY);
  elsewhereUrl = `http://127.0.0.1:${deaf.port}`;
  elsewhere = restClient(elsewhereUrl, ADMIN_KEY);
}, 60_000);
afterAll(async () => {
  await fleet?.stop();
  await redis?.stop();
});

function cookieOf({ headers }: RestAnswer): string {
  return headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

async function addHere(settings: object = {}): Promise<FleetBot> {
  const known = await fleet.control.createBot({});
  const added = await here('POST', '/api/bots/add', { body: { token: known.token, ...settings } });
  return { ...(added.json as FleetBot), token: known.token, platformId: known.id };
}

describe('what one replica has answered, the next one knows at once:', () => {
  test('a bot that was added can be changed, and is gone when it was deleted', async () => {
    const statuses: number[] = [];
    for (let at = 0; at < TRIES; at += 1) {
      const { id } = await addHere();
      statuses.push((await elsewhere('POST', '/api/bots/update', { body: { id, name: `Bot ${at}` } })).status);
      statuses.push((await here('POST', '/api/bots/delete', { body: { id } })).status);
      const chats = await elsewhere('GET', '/api/chats', { query: { bot_id: id } });
      statuses.push(chats.status === 404 ? 200 : 0);
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  test('a bot that was added is no stranger, whose getUpdates would go on to the platform', async () => {
    const passedOn: string[] = [];
    for (let at = 0; at < TRIES; at += 1) {
      const bot = await addHere({ long_poll_enabled: true });
      expect((await fetch(`${elsewhereUrl}/tgapi/bot${bot.token}/getUpdates?timeout=0&limit=${LIMIT}`)).status).toBe(
        200,
      );
      const { calls } = await fleet.control.readCalls({ bot: bot.platformId, method: 'getUpdates' });
      passedOn.push(...calls.map(({ params }) => params.limit ?? '').filter((limit) => limit === LIMIT));
    }
    expect(passedOn).toEqual([]);
  });

  test('the kinds that a poll asked for, so that the next poll can change them back', async () => {
    const hereUrl = `http://127.0.0.1:${fleet.apis[0]!.port}`;
    const done = new AbortController();
    const changeBack = async (): Promise<void> => {
      const { token } = await addHere({ long_poll_enabled: true });
      const kinds = async (url = hereUrl) => {
        const info = await (await fetch(`${url}/tgapi/bot${token}/getWebhookInfo`)).json();
        return (info as { result: { allowed_updates?: string[] } }).result.allowed_updates ?? [];
      };
      // An empty poll would wait 30 s, so nobody awaits its response; the next poll must come sooner.
      const poll = (url: string, asked: string[]) =>
        fetch(`${url}/tgapi/bot${token}/getUpdates?timeout=30&allowed_updates=${JSON.stringify(asked)}`, {
          signal: done.signal,
        }).catch(() => undefined);
      expect(await kinds(elsewhereUrl)).toEqual([]);
      poll(hereUrl, ['message']);
      await waitFor(async () => (await kinds()).length > 0);
      poll(elsewhereUrl, []);
      await waitFor(async () => (await kinds()).length === 0);
    };
    try {
      for (let at = 0; at < TRIES; at += 1) await changeBack();
    } finally {
      done.abort();
    }
  });

  test('a webhook that was set or removed, when a program asks for it', async () => {
    const hereUrl = `http://127.0.0.1:${fleet.apis[0]!.port}`;
    const stale: string[] = [];
    for (let at = 0; at < TRIES; at += 1) {
      const { token } = await addHere();
      const call = async (root: string, method: string, body: object = {}) => {
        const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
        const answer = await (await fetch(`${root}/tgapi/bot${token}/${method}`, init)).json();
        return (answer as { result: { url?: string; allowed_updates?: string[] } }).result;
      };
      const url = `http://127.0.0.1:9/hook-${at}`;
      await call(hereUrl, 'setWebhook', { url, allowed_updates: ['poll'] });
      const set = await call(elsewhereUrl, 'getWebhookInfo');
      if (set.url !== url || set.allowed_updates?.join() !== 'poll') stale.push(`set ${at}`);
      await call(hereUrl, 'deleteWebhook');
      if ((await call(elsewhereUrl, 'getWebhookInfo')).url !== '') stale.push(`removed ${at}`);
    }
    expect(stale).toEqual([]);
  });

  test('a session that was opened after a reset or a change of the password', async () => {
    const hereUrl = `http://127.0.0.1:${fleet.apis[0]!.port}`;
    const anyone = restClient(hereUrl);
    const passwords = ['the first password', 'the second password', 'the third password'];
    const statuses: number[] = [];
    const seenElsewhere = async (cookie: string) => {
      const { status } = await restClient(elsewhereUrl)('GET', '/api/bots', { headers: { cookie } });
      statuses.push(status);
    };
    const signIn = async (username: string, password: string | undefined) =>
      cookieOf(await anyone('POST', '/api/auth/login', { body: { username, password } }));
    for (let at = 0; at < TRIES; at += 1) {
      const [first, second, third] = passwords;
      const username = `replicated-${at}`;
      const added = await here('POST', '/api/auth/users/add', { body: { username, password: first } });
      const { id } = added.json as { id: number };
      await seenElsewhere(await signIn(username, first));
      await here('POST', '/api/auth/users/reset-password', { body: { id, password: second } });
      const cookie = await signIn(username, second);
      const body = { old_password: second, new_password: third };
      const changed = await anyone('POST', '/api/auth/change-password', { body, headers: { cookie } });
      await seenElsewhere(cookieOf(changed));
      await seenElsewhere(await signIn(username, third));
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });
});
