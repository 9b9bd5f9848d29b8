import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import type { TlsFiles } from '@flotilla/testing/tls-authority.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTlsStores, type TlsRedis, type TlsStores, whyNotStarted } from './tls-stores.ts';

const GOES_ON_WITHIN_MS = 60_000;

let stores: TlsStores;
let backend: TestBackend;

beforeAll(async () => {
  stores = await startTlsStores();
  backend = await startBackend();
}, 120_000);
afterAll(async () => {
  await backend?.stop();
  await stores?.stop();
}, 60_000);

const trusting = () => ({ NODE_EXTRA_CA_CERTS: stores.caFile, DATABASE_URL: stores.databaseUrl() });

describe.each(['one server', 'a Sentinel set', 'a cluster'] as const)('Redis with TLS, as %s', (form) => {
  let redis: TlsRedis;
  let fleet: Fleet;
  let pushed: FleetBot;
  let pulled: FleetBot;
  beforeAll(async () => {
    redis = await stores.startRedis[form]();
  }, 60_000);
  afterAll(async () => {
    await fleet?.stop();
    await redis?.stop();
  }, 60_000);

  test('is refused with a certificate of another authority, and with one for another name', async () => {
    const settings = { ...trusting(), REDIS_URL: redis.url };
    expect(await whyNotStarted({ ...settings, NODE_EXTRA_CA_CERTS: stores.otherCaFile })).toBe(
      'Redis refuses this REDIS_URL: self-signed certificate in certificate chain',
    );
    const byAddress = redis.url.replaceAll('localhost', '127.0.0.1');
    expect(await whyNotStarted({ ...settings, REDIS_URL: byAddress })).toBe(
      "Redis refuses this REDIS_URL: Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list:",
    );
  }, 120_000);

  test('serves turns, waiting polls and news of changes, and does so again after a server was killed', async () => {
    fleet = await startFleet({ apis: 2, workers: 1 }, trusting(), { url: stores.databaseUrl() }, redis);
    pushed = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
    pulled = await fleet.addBot({ long_poll_enabled: true });
    await passesOn('before');
    const [killed] = await redis.masters();
    killed!.kill();
    if (form === 'one server') await killed!.restart();
    await passesOn('afterwards');
    expect(complaints()).toEqual([]);
  }, 240_000);

  const complaints = () => {
    const lines = [...fleet.apis, ...fleet.workers].flatMap((process) => process.output().split('\n'));
    return lines.filter((line) => /"level":(50|60)\b/.test(line) || !/^(\{|$)/.test(line));
  };

  test('is away while it has a strange certificate, and serves again with ours', async () => {
    const known = async () => (await fetch(`${fleet.url}/tgapi/bot${pulled.token}/getUpdates`)).status;
    await useCertificate(stores.strangeCertificate);
    await waitFor(async () => (await known()) === 503, { timeoutMs: GOES_ON_WITHIN_MS });
    await useCertificate(stores.certificate);
    await passesOn('with our certificate again');
    expect(complaints()).toEqual([]);
  }, 240_000);

  /** Makes the servers use this certificate and closes the existing connections. */
  async function useCertificate({ certFile, keyFile }: TlsFiles): Promise<void> {
    for (const { connection } of redis.servers()) {
      await connection.config('SET', 'tls-cert-file', certFile, 'tls-key-file', keyFile);
      await connection.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
      await connection.call('client', 'kill', 'type', 'pubsub');
    }
  }

  /** Resolves when an update for each bot has arrived: at the backend, and at a poller of each api. */
  async function passesOn(when: string): Promise<void> {
    const text = `${when}, ${form}`;
    const say = async (bot: FleetBot) =>
      void (await fleet.control.injectUpdate({
        bot: bot.platformId,
        kind: 'message',
        raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5,"type":"private"},"text":"${text}"}`,
      }));
    const polls = fleet.apis.map((api) => pollUntil(`http://127.0.0.1:${api.port}`, pulled, text));
    await Promise.all([say(pushed), say(pulled)]);
    await waitFor(() => backend.requests.some((request) => request.text.includes(text)), {
      timeoutMs: GOES_ON_WITHIN_MS,
      message: `the update "${text}"`,
    });
    await Promise.all(polls);
  }
});

/** Polls as a bot's program does: it asks again after any response. */
async function pollUntil(url: string, bot: FleetBot, text: string): Promise<void> {
  const ask = async () => (await fetch(`${url}/tgapi/bot${bot.token}/getUpdates?timeout=20`)).text();
  await waitFor(async () => (await ask()).includes(text), { timeoutMs: GOES_ON_WITHIN_MS, message: `a poll: ${text}` });
}

describe('Postgres with TLS', () => {
  let redis: TestRedis;
  let folder: string;
  beforeAll(async () => {
    [redis, folder] = await Promise.all([startTestRedis(), throwAwayDir()]);
  });
  afterAll(async () => {
    await redis?.stop();
    await removeDir(folder);
  });

  test('is trusted by the authority that NODE_EXTRA_CA_CERTS names, or sslrootcert', async () => {
    const named = { DATABASE_URL: stores.databaseUrl({ options: `&sslrootcert=${stores.caFile}` }) };
    for (const settings of [trusting(), named]) {
      const { exitCode, output } = await runMaintenance(['backup', join(folder, randomUUID())], settings);
      expect([exitCode, output]).toEqual([0, expect.stringContaining('holds the database')]);
    }
  });

  test('is refused with a certificate of another authority, and with one for another name', async () => {
    const settings = { ...trusting(), REDIS_URL: redis.url };
    expect(await whyNotStarted({ ...settings, NODE_EXTRA_CA_CERTS: stores.otherCaFile })).toMatch(
      'unable to verify the first certificate',
    );
    const byAddress = stores.databaseUrl({ host: '127.0.0.1' });
    expect(await whyNotStarted({ ...settings, DATABASE_URL: byAddress })).toMatch(
      "altnames: IP: 127.0.0.1 is not in the cert's list",
    );
  }, 120_000);
});
