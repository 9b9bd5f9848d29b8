import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import {
  ADMIN_KEY,
  FLEET_ENCRYPTION_KEY,
  type Fleet,
  type FleetBot,
  startFleet,
} from '@flotilla/testing/fleet/fleet.ts';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { administer, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import { type RedisServer, startRedisServer } from '@flotilla/testing/redis-server.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const REDIS_PAGE = readFileSync(join(import.meta.dirname, '../../../docs/operations/redis.md'), 'utf8');
/** The rights that the handbook prescribes for REDIS_DURABILITY=provider, as arguments of ACL SETUSER. */
const RIGHTS = /^ {4}ACL SETUSER flotilla ((?:.|\n {4})*)$/m
  .exec(REDIS_PAGE)![1]!
  .split(/[\s\\]+/)
  .filter((rule) => !rule.startsWith('>') && rule !== '+config|get');
const PASSWORD = 'a password for tests';
const ROLE = `flotilla_${randomBytes(6).toString('hex')}`;

type Managed = { url: string; servers: RedisServer[]; stop(): Promise<void> };

const forms: Record<string, () => Promise<Managed>> = {
  'one server': async () => {
    const evicting = { appendonly: 'no', 'maxmemory-policy': 'volatile-lru', maxmemory: '200mb' };
    const server = await startRedisServer(evicting);
    return { url: `redis://127.0.0.1:${server.port}`, servers: [server], stop: server.stop };
  },
  'a cluster': async () => {
    const cluster = await startTestRedisCluster();
    return { url: cluster.url, servers: cluster.servers(), stop: cluster.stop };
  },
};

describe.each(Object.keys(forms))(
  'a managed Redis that grants no more than the handbook says, and a Postgres, both with tokens: %s',
  (form) => {
    let redis: Managed;
    let database: TestDatabase;
    let folder: string;
    let fleet: Fleet;
    let backend: TestBackend;
    let settings: Record<string, string>;

    /** Tokens that the stores accept from now on; processes read them from a command and from a file. */
    async function issueTokens(): Promise<void> {
      const token = randomBytes(12).toString('hex');
      const user = ['ACL', 'SETUSER', 'flotilla', 'reset', ...RIGHTS, `>${token}`] as const;
      await Promise.all(redis.servers.map(({ connection }) => connection.call(...user)));
      await administer(database.url, `alter role ${ROLE} password '${token}'`);
      await Promise.all(['redis', 'postgres'].map((store) => writeFile(join(folder, store), `${token}\n`)));
    }
    const endConnections = async () => {
      await Promise.all(redis.servers.map(({ connection }) => connection.call('CLIENT', 'KILL', 'USER', 'flotilla')));
      await administer(
        database.url,
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${ROLE}'`,
      );
    };
    const refusals = async () => {
      const logs = await Promise.all(
        redis.servers.map(({ connection }) => connection.call('ACL', 'LOG') as Promise<unknown[][]>),
      );
      // A login with the token before is no missing right.
      return logs.flat().filter((entry) => !entry.includes('auth'));
    };

    beforeAll(async () => {
      [redis, database, folder] = await Promise.all([forms[form]!(), testDatabase(), throwAwayDir()]);
      await administer(database.url, `create role ${ROLE} login superuser`);
      await issueTokens();
      backend = await startBackend();
      settings = {
        REDIS_URL: redis.url.replace('://', '://flotilla:@'),
        REDIS_PASSWORD_COMMAND: `file:${join(folder, 'redis')}`,
        REDIS_DURABILITY: 'provider',
        REDIS_EVICTION: 'provider',
        DATABASE_URL: Object.assign(new URL(database.url), { username: ROLE, password: '' }).href,
        DATABASE_PASSWORD_COMMAND: `cat ${join(folder, 'postgres')}`,
        PUBLIC_URL: 'http://127.0.0.1:1',
      };
      fleet = await startFleet({ apis: 1, workers: 1 }, settings, database, {
        url: redis.url,
        port: redis.servers[0]!.port,
      });
    }, 90_000);
    afterAll(async () => {
      await fleet?.stop();
      await backend?.stop();
      await administer(database.url, `drop role if exists ${ROLE}`).catch(() => {});
      await redis?.stop();
      await database?.drop();
      await removeDir(folder);
    }, 60_000);

    const call = (bot: FleetBot, method: string, body: object = {}) =>
      fetch(`${fleet.url}/tgapi/bot${bot.token}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then((response) => response.json() as Promise<{ ok: boolean; result: unknown[] }>);
    const person = async (...bots: FleetBot[]) => {
      const { id } = await fleet.control.createPerson({ firstName: 'Ada' });
      for (const bot of bots) await fleet.control.startBot({ person: id, bot: bot.platformId, quietly: true });
      return id;
    };
    const stored = async (bot: FleetBot, count: number) => {
      const rows = () => database.db.selectFrom('messages').select('id').where('bot_id', '=', bot.id).execute();
      await waitFor(async () => (await rows()).length >= count, {
        timeoutMs: 60_000,
        message: `${count} stored messages`,
      });
    };

    /** Pushes, polls, a rule, a sent message and the history, each with new bots. */
    async function useEverything(): Promise<void> {
      const [pushed, pulled, hooked, target] = [
        await fleet.addBot({ proxy_enabled: true, backend_url: backend.url }),
        await fleet.addBot({ long_poll_enabled: true }),
        await fleet.addBot({ long_poll_enabled: true, webhook_mode: true }),
        await fleet.addBot(),
      ];
      const ada = await person(pushed, pulled, hooked, target);
      const rule = { source_bot_id: pushed.id, target_bot_id: target.id, target_chat_id: ada };
      await fleet.rest('/api/routes/add', { ...rule, condition_type: 'all', action: 'copy' });
      const { secretToken } = await fleet.control.readWebhook({ bot: hooked.platformId });
      const message = { message_id: 9, date: 1_780_000_000, chat: { id: ada, type: 'private' }, text: 'hooked' };
      const accepted = await fetch(`${fleet.url}/telegram/${hooked.id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': String(secretToken) },
        body: JSON.stringify({ update_id: 1, message }),
      });
      expect(accepted.status).toBe(200);
      const waiting = call(pulled, 'getUpdates', { timeout: 30 });
      const before = backend.requests.length;
      for (const bot of [pushed, pulled]) {
        await fleet.control.sendMessage({ person: ada, bot: bot.platformId, text: 'hello' });
      }
      expect((await waiting).result).toHaveLength(1);
      await waitFor(() => backend.requests.length > before, { timeoutMs: 30_000, message: 'a delivery' });
      expect(await call(pulled, 'sendMessage', { chat_id: ada, text: 'sent' })).toMatchObject({ ok: true });
      await Promise.all([stored(pushed, 1), stored(pulled, 2), stored(target, 1)]);
    }

    test('a fleet registers, pushes, polls, routes and stores, and its operators look at all of it', async () => {
      await useEverything();
      const [first] = await fleet.rest<{ id: number }[]>('/api/bots');
      for (const path of [
        '/api/fleet',
        '/api/system',
        `/api/bots/readers?bot_id=${first!.id}`,
        '/admin/queues/api/queues',
      ])
        await fleet.rest(path);
      const live = new AbortController();
      const stream = await fetch(`${fleet.url}/api/live?topics=bot:${first!.id}`, {
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
        signal: live.signal,
      });
      expect(stream.status).toBe(200);
      live.abort();
      const signedIn = await fetch(`${fleet.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'admin', password: PASSWORD }),
      });
      expect(signedIn.status).toBe(200);
      await fleet.rest('/api/bots/delete', { id: first!.id });
      const rounds = () => metric('flotilla_upkeep_rounds_total{outcome="ok"}');
      await waitFor(async () => (await rounds()) >= 3, { timeoutMs: 60_000, message: 'rounds of upkeep' });
      const rotation = await runMaintenance(['rotate-keys'], { ...settings, ENCRYPTION_KEY: FLEET_ENCRYPTION_KEY });
      expect(rotation).toMatchObject({ exitCode: 0 });
      const around = { TELEGRAM_API_URL: fleet.simulator.url, PUBLIC_URL: fleet.url };
      const checked = await runMaintenance(['check-config'], {
        ...settings,
        ...around,
        ENCRYPTION_KEY: FLEET_ENCRYPTION_KEY,
      });
      expect(checked).toMatchObject({ exitCode: 0, output: expect.stringContaining('\n0 to mend') });
      expect(await refusals()).toEqual([]);
    }, 240_000);

    test('no alert is kept up by what the provider answers for, and the system page says who answers', async () => {
      expect([await metric('flotilla_redis_durable'), await metric('flotilla_redis_evicts')]).toEqual([
        Number.NaN,
        Number.NaN,
      ]);
      expect(await metric('flotilla_redis_clients')).toBeGreaterThan(0);
      const system = await fleet.rest<{ redis: object; settings: object[] }>('/api/system');
      expect(Object.keys(system.redis)).not.toEqual(expect.arrayContaining(['durable']));
      expect(Object.keys(system.redis)).not.toEqual(expect.arrayContaining(['evicts']));
      expect(system.settings).toContainEqual({ name: 'REDIS_DURABILITY', value: 'provider' });
    }, 60_000);

    test('when both tokens change and the stores end all connections, everything goes on', async () => {
      await issueTokens();
      await endConnections();
      const answers = async () => {
        // The first asks Postgres, the second Redis.
        for (const path of ['/api/messages?bot_id=1&chat_id=1', '/api/fleet']) {
          await fleet.rest(path).catch((error: Error) => {
            if (/answered 503/.test(error.message)) throw error;
          });
        }
        return true;
      };
      await waitFor(answers, { timeoutMs: 30_000, message: 'REST' });
      await useEverything();
      expect(await refusals()).toEqual([]);
      const logs = [...fleet.apis, ...fleet.workers].map((process) => process.output()).join('\n');
      expect(logs).not.toMatch(/"level":(50|60)\b/);
      expect(logs).not.toContain((await readToken()).trim());
    }, 240_000);

    const readToken = async () => readFileSync(join(folder, 'redis'), 'utf8');
    /** The value of a series of the worker; NaN when there is none. */
    async function metric(series: string): Promise<number> {
      const response = await fetch(`http://127.0.0.1:${fleet.workers[0]!.metricsPort}/metrics`);
      const line = (await response.text()).split('\n').find((text) => text.startsWith(`${series} `));
      return Number(line?.split(' ')[1]);
    }
  },
);
