import { freePort } from '@flotilla/embedded/free-port.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { FLEET_ENCRYPTION_KEY } from '@flotilla/testing/fleet/fleet.ts';
import { launchProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { startNginx } from '@flotilla/testing/fleet/nginx.ts';
import { whileLocked } from '@flotilla/testing/locked-table.ts';
import { administer } from '@flotilla/testing/postgres.ts';
import { startTlsAuthority } from '@flotilla/testing/tls-authority.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type AlertScene, preload, SCRAPED, startAlertScene, TEST_MS } from './alert-scene.ts';
import { mountVolume, startDisks, startProbe } from './surroundings.ts';

const DESCRIPTORS = 500;
const OVER_THE_BACKLOG = 50_001;
const FLOODED_S = 240;
const CALLERS = 40;
/** A thread that is mostly stopped, and most descriptors in use. */
const AILING = `
  import { execFileSync } from 'node:child_process';
  import { openSync } from 'node:fs';
  const stopped = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.wait(stopped, 0, 0, 400), 200).unref();
  execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=${DESCRIPTORS}:${DESCRIPTORS}']);
  for (let opened = 0; opened < ${DESCRIPTORS * 0.85}; opened += 1) openSync('/dev/null');
`;

const parts = new AsyncDisposableStack();
let scene: AlertScene;
let backend: TestBackend;

beforeAll(async () => {
  scene = await startAlertScene(parts, { BACKUP_MAX_AGE_HOURS: '1' }, ({ url }) =>
    administer(url, `insert into backups (taken_at, bytes) values (now() - interval '2 hours', 1)`),
  );
  backend = parts.adopt(await startBackend(), (own) => own.stop());
}, TEST_MS);
afterEach(() => scene.fleet.control.clearFaults({}));
afterAll(() => parts.disposeAsync(), 60_000);

/** A table is locked, and many callers ask for it. */
async function whileQueriesWait(work: () => Promise<void>): Promise<void> {
  const { fleet, postgres } = scene;
  const call = () => fleet.rest('/api/adminlog');
  await whileLocked(postgres.db, 'audit_log', async () => {
    let isOver = false;
    const asking = Array.from({ length: CALLERS }, async () => {
      while (!isOver) await call().catch(() => undefined);
    });
    await work().finally(() => {
      isOver = true;
    });
    await Promise.all(asking);
  });
  await waitFor(call, SCRAPED);
}

test(
  'tell of a process that is not ready, of one that is slow and has few descriptors left, of an old backup, and of queries that wait for a lock and for connections',
  async () => {
    const { fleet, untilFired, scrapeFleet, postgres } = scene;
    const ailing = await fleet.start('worker', { WORKER_ROLES: 'rules', ...preload(AILING) });
    const unready = await launchProcess('api', {
      ...{ DATABASE_URL: postgres.url, REDIS_URL: `redis://127.0.0.1:${await freePort()}` },
      ...{ TELEGRAM_API_URL: fleet.simulator.url, ENCRYPTION_KEY: FLEET_ENCRYPTION_KEY },
    });
    try {
      await scrapeFleet([unready]);
      const ofProcesses = ['BackupOld', 'EventLoopLag', 'FileDescriptors', 'NotReady'];
      const ofQueries = ['PostgresPoolWaiting', 'PostgresSlow', 'RestSlow'];
      await whileQueriesWait(() => untilFired([...ofProcesses, ...ofQueries]));
    } finally {
      await unready.kill();
      await ailing.kill();
      fleet.workers.splice(fleet.workers.indexOf(ailing), 1);
      await scrapeFleet();
    }
  },
  TEST_MS,
);

test(
  'tell of updates, history and messages that no worker handles, and then of late deliveries',
  async () => {
    const { fleet, untilFired, scrapeFleet, addBot, updates, prometheus } = scene;
    const bot = await addBot({ backend_url: backend.url, long_poll_enabled: false });
    const { id: person } = await fleet.control.createPerson({});
    await fleet.control.startBot({ person, bot: bot.platformId, quietly: true });
    const replace = async (roles: Record<string, string>) => {
      await fleet.workers.pop()!.kill();
      await fleet.start('worker', roles);
      await scrapeFleet();
    };
    await replace({ WORKER_ROLES: 'polling,rules,upkeep' });
    await updates([bot], 50, 10);
    await fleet.rest('/api/outbox/add', {
      ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id: person, text: 'nobody sends it' } },
    });
    await untilFired(['DeliveryStopped', 'HistoryLag', 'OutboxStuck', 'PendingTurns']);
    // DeliveryLag fires for updates that are over 60 s old.
    await waitFor(() => prometheus.holds('max(flotilla_oldest_pending_seconds{kind="push"}) > 65'), {
      timeoutMs: 120_000,
    });
    await replace({});
    await untilFired(['DeliveryLag']);
  },
  TEST_MS,
);

test(
  'tell of several bots whose programs do not poll or fail, and that the platform refuses for a while',
  async () => {
    const { fleet, untilFired, several, updates } = scene;
    const refusing = parts.adopt(
      await startBackend((_request, response) => void response.writeHead(500).end()),
      (own) => own.stop(),
    );
    const silent = await several(4, { long_poll_enabled: true, silent_after_s: 5 });
    const failing = await several(4, { proxy_enabled: true });
    const { id: person } = await fleet.control.createPerson({});
    for (const { id, platformId, token } of failing) {
      await fleet.rest('/api/programs/add', { bot_id: id, name: 'fails', mode: 'push', backend_url: refusing.url });
      await fleet.control.startBot({ person, bot: platformId, quietly: true });
      await fleet.control.setFloodWait({ bot: platformId, chat: person, family: 'send', seconds: FLOODED_S });
      const answer = await fetch(`${fleet.url}/tgapi/bot${token}/sendMessage?chat_id=${person}&text=x`);
      expect(answer.status).toBe(429);
    }
    await updates([...silent, ...failing], 80, 4);
    await untilFired(['BotsFlooded', 'BotsNeedAttention', 'PollersSilent']);
  },
  TEST_MS,
);

test(
  'tell of more updates than a program fetches',
  async () => {
    const { untilFired, addBot, updates } = scene;
    const bot = await addBot({ long_poll_enabled: true });
    for (let left = OVER_THE_BACKLOG; left > 0; left -= 10_000) await updates([bot], Math.min(left, 10_000), 50);
    await untilFired(['Backlog']);
  },
  TEST_MS,
);

test(
  'tell of a certificate that ends soon, and of a load balancer that is away',
  async () => {
    const { fleet, prometheus, untilFired, scrapeFleet } = scene;
    const [authority, tlsPort] = [await startTlsAuthority(), await freePort()];
    const { caFile, certFile, keyFile } = await authority.issue('IP:127.0.0.1');
    const server = `listen 127.0.0.1:${tlsPort} ssl; ssl_certificate ${certFile}; ssl_certificate_key ${keyFile};`;
    const apiPorts = fleet.apis.map(({ port }) => port);
    const nginx = parts.adopt(await startNginx({ apiPorts, server }), (own) => own.stop());
    const urls = [`${nginx.url}/livez`, `https://127.0.0.1:${tlsPort}/livez`];
    await prometheus.scrape(await startProbe(parts, { urls, caFile }));
    await waitFor(() => prometheus.holds('count(probe_success == 1) == 2'), SCRAPED);
    await untilFired(['CertificateExpires']);
    await nginx.stop();
    await untilFired(['LoadBalancerDown']);
    await scrapeFleet();
  },
  TEST_MS,
);

/** Others cannot mount a disk. */
const testAsRoot = process.getuid?.() === 0 ? test : test.skip;

testAsRoot(
  'tell of a disk that fills up',
  async () => {
    const { prometheus, scrapeFleet } = scene;
    const { device, leave } = await mountVolume(parts);
    await prometheus.scrape([await startDisks(parts)]);
    const isFiring = (name: string) =>
      prometheus.holds(`ALERTS{alertname="${name}", alertstate="firing", device="${device}"}`);
    await waitFor(() => prometheus.holds(`node_filesystem_avail_bytes{device="${device}"}`), SCRAPED);
    await leave(0.1);
    await waitFor(() => isFiring('FlotillaDisk85'), SCRAPED);
    expect(await isFiring('FlotillaDisk95')).toBe(false);
    await leave(0.02);
    await waitFor(() => isFiring('FlotillaDisk95'), SCRAPED);
    await scrapeFleet();
  },
  TEST_MS,
);

test(
  'tell of a slow Redis',
  () => scene.untilFired(['RedisSlow'], () => scene.stored.commands.client('PAUSE', 400, 'ALL')),
  TEST_MS,
);
