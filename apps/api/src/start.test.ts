import { createLogger } from '@flotilla/runtime/logger.ts';
import { administer, testDatabase } from '@flotilla/testing/postgres.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { ADMIN_KEY, ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from './config.ts';
import { startApi } from './start.ts';

const api = testApi();

const log = createLogger({ name: 'test', level: 'silent' });
const startWith = (settings: Record<string, string>) => startApi(readConfig({ ...api.env, ...settings }), log);
const me = (port: number, key: string) => restClient(`http://127.0.0.1:${port}`, key)('GET', '/api/auth/me');

describe('the first admin', () => {
  test('is made once by any number of pods that start at once, and its key works', async () => {
    const database = await testDatabase();
    const settings = { DATABASE_URL: database.url, ADMIN_USERNAME: 'chief' };
    const pods = await Promise.all([1, 2, 3, 4].map(() => startWith(settings)));
    expect(await database.db.selectFrom('accounts').select(['username', 'role']).execute()).toEqual([
      { username: 'chief', role: 'admin' },
    ]);
    for (const pod of pods) expect((await me(pod.port, ADMIN_KEY)).json).toMatchObject({ username: 'chief' });
    await Promise.all(pods.map((pod) => pod.stop()));
    await database.drop();
  });

  test('gets a random password, printed once, where none is set', async () => {
    const database = await testDatabase();
    const { ADMIN_PASSWORD: _unset, ...env } = api.env;
    const printed: string[] = [];
    const write = process.stdout.write;
    process.stdout.write = ((text: string) => printed.push(String(text)) > 0) as typeof write;
    const start = () => startApi(readConfig({ ...env, DATABASE_URL: database.url }), log);
    const first = await start();
    const again = await start();
    process.stdout.write = write;
    const passwords = printed.join('').match(/password (\S{20})\n/g) ?? [];
    expect(passwords).toHaveLength(1);
    const password = passwords[0]?.slice('password '.length).trim();
    const login = await restClient(`http://127.0.0.1:${again.port}`)('POST', '/api/auth/login', {
      body: { username: 'admin', password },
    });
    expect(login.json).toMatchObject({ user: { role: 'admin', bot_ids: null } });
    await Promise.all([first.stop(), again.stop()]);
    await database.drop();
  });

  test('is not made with a password that is among the commonest', async () => {
    const database = await testDatabase();
    for (const password of ['1234567890', 'Qwertyuiop', 'password123']) {
      const starting = startWith({ DATABASE_URL: database.url, ADMIN_PASSWORD: password });
      await expect(starting).rejects.toThrow('ADMIN_PASSWORD is one of the most common passwords: choose another one');
    }
    expect(await database.db.selectFrom('accounts').select('id').execute()).toEqual([]);
    await database.drop();
  });

  test('keeps its password when the setting changes, and its key follows the setting', async () => {
    const other = 'flt_another_key_for_the_admin';
    const pod = await startWith({ ADMIN_API_KEY: other, ADMIN_PASSWORD: 'a different password' });
    expect((await me(pod.port, other)).status).toBe(200);
    await waitFor(async () => (await me(pod.port, ADMIN_KEY)).status === 401, { timeoutMs: 5000 });
    const body = { username: 'admin', password: ADMIN_PASSWORD };
    expect((await restClient(api.url)('POST', '/api/auth/login', { body })).status).toBe(200);
    await pod.stop();
  });
});

describe('an api', () => {
  test('refuses to start while a migration is pending', async () => {
    const database = await testDatabase();
    await administer(database.url, 'delete from kysely_migration');
    await expect(startWith({ DATABASE_URL: database.url })).rejects.toThrow('npm run migrate');
    await database.drop();
  });

  test('shows its metrics on loopback only, whatever HOST is, unless METRICS_HOST says otherwise', async () => {
    // On Linux every 127.x.y.z is this machine, and a server on 127.0.0.1 does not listen there.
    const statusAt = (port: number, path: string) =>
      fetch(`http://127.0.0.2:${port}${path}`).then(
        ({ status }) => status,
        () => null,
      );
    const token = 'a-token-of-the-scraper-0123';
    const [inside, outside] = [
      await startWith({ HOST: '0.0.0.0' }),
      await startWith({ HOST: '0.0.0.0', METRICS_HOST: '0.0.0.0', METRICS_TOKEN: token }),
    ];
    expect(await statusAt(inside.port, '/livez')).toBe(200);
    expect(await statusAt(inside.metricsPort, '/metrics')).toBe(null);
    expect(await statusAt(outside.metricsPort, '/livez')).toBe(200);
    expect(await statusAt(outside.metricsPort, '/metrics')).toBe(401);
    await Promise.all([inside.stop(), outside.stop()]);
  });

  test('refuses to start on a port that is taken', async () => {
    await expect(startWith({ PORT: String(api.port) })).rejects.toThrow('EADDRINUSE');
    await expect(startWith({ METRICS_PORT: String(api.metricsPort) })).rejects.toThrow('EADDRINUSE');
  });

  test('finishes what is in flight when it stops', async () => {
    const pod = await startWith({});
    const { token } = await api.platform.createBot({});
    const effect = { kind: 'delay', delayMs: 700 } as const;
    await api.platform.setFault({ method: 'getMe', effect, count: 1 });
    const admin = restClient(`http://127.0.0.1:${pod.port}`, 'flt_another_key_for_the_admin');
    const current = await currentKey(pod.port);
    const validating = restClient(`http://127.0.0.1:${pod.port}`, current)('POST', '/api/bots/validate', {
      body: { token },
    });
    await waitFor(async () => (await api.platform.listFaults())[0]?.hits === 1);
    const stopped = pod.stop();
    expect((await validating).status).toBe(200);
    await stopped;
    await expect(admin('GET', '/livez')).rejects.toThrow('ECONNREFUSED');
  });
});

/** Returns the key that is valid now: the latest start decides it. */
async function currentKey(port: number): Promise<string> {
  return waitFor(async () => {
    for (const key of [ADMIN_KEY, 'flt_another_key_for_the_admin'])
      if ((await me(port, key)).status === 200) return key;
    return '';
  });
}

describe('the settings', () => {
  const fault = (settings: Record<string, string>) => {
    try {
      readConfig({ ...api.env, ...settings });
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('are refused in pairs that are dangerous together', () => {
    expect(fault({})).toBe('accepted');
    expect(fault({ PORT: '8080', METRICS_PORT: '8080' })).toContain('METRICS_PORT');
    expect(fault({ TRUSTED_PROXIES: '0.0.0.0/0' })).toContain('TRUSTED_PROXIES');
    expect(fault({ TRUSTED_PROXIES: '10.0.0.0/8,::/0' })).toContain('TRUSTED_PROXIES');
    expect(fault({ PROXY_PREFIX: '/api' })).toContain('PROXY_PREFIX');
    expect(fault({ PROXY_PREFIX: '/api/proxy' })).toContain('PROXY_PREFIX');
    for (const prefix of ['/bot', '/botapi', '/file/bots'])
      expect(fault({ PROXY_PREFIX: prefix })).toContain('PROXY_PREFIX');
    expect(fault({ PUBLIC_URL: api.env.TELEGRAM_API_URL ?? '' })).toContain('PUBLIC_URL');
    const publicUrl = 'https://Bots.example.com:8443/flotilla';
    expect(fault({ PUBLIC_URL: publicUrl, PROXY_HOST: 'api.example.com' })).toBe('accepted');
    expect(fault({ PUBLIC_URL: publicUrl, PROXY_HOST: 'bots.example.com' })).toContain('PROXY_HOST');
    expect(fault({ PUBLIC_URL: publicUrl, PROXY_HOST: 'BOTS.example.com.:443' })).toContain('PROXY_HOST');
    expect(fault({ PUBLIC_URL: 'http://[::1]:80', PROXY_HOST: '::1' })).toContain('PROXY_HOST');
  });

  test('are refused with every fault at once and without their values', () => {
    const message = fault({
      ADMIN_API_KEY: 'flt_short-secret',
      ADMIN_PASSWORD: 'p4ss',
      PROXY_PREFIX: 'tgapi/',
      PORT: '99999',
      ENCRYPTION_KEY: 'c2hvcnQ=',
      PROXY_HOST: 'https://bots.example.com',
    });
    for (const name of ['ADMIN_API_KEY', 'ADMIN_PASSWORD', 'PROXY_PREFIX', 'PROXY_HOST', 'PORT', 'ENCRYPTION_KEY']) {
      expect(message).toContain(name);
    }
    for (const value of ['flt_short-secret', 'p4ss', 'c2hvcnQ=']) expect(message).not.toContain(value);
  });
});
