import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { botKeys } from '@flotilla/redis/keys.ts';
import { startBackend } from '@flotilla/testing/backend.ts';
import type { Fleet, FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { administer } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type AlertScene, preload, SCRAPED, startAlertScene, TEST_MS } from './alert-scene.ts';

/** The threshold of the rule is 80 %. */
const USED_CONNECTIONS = 0.85;
const EXPIRED_ROWS = 2_000;
const ANSWERED_WITHIN_MS = 5_000;
const LATER = '29990101T000000-later';
/** A poll that is answered after a second is late. */
const STOPPED_MS = 1_500;
/** The memory limit of a small container, and, once it gets the signal, a clock that is ten minutes ahead: with it, none is ready. */
const AILING = `
  process.constrainedMemory = () => 100e6;
  process.on('SIGUSR2', () => { const now = Date.now; Date.now = () => now() + 600_000; });
`;
/** So long that a few messages with it are all that an api holds while Redis is away. */
const LONG_KEYBOARD = { inline_keyboard: [[{ text: 'x'.repeat(500_000), callback_data: 'x' }]] };
const SENT_AT_ONCE = 8;

const parts = new AsyncDisposableStack();
let postgres: AlertScene['postgres'];
let redis: AlertScene['redis'];
let stored: AlertScene['stored'];
let fleet: Fleet;
let prometheus: AlertScene['prometheus'];
let scrapeFleet: AlertScene['scrapeFleet'];
let untilFired: AlertScene['untilFired'];
let addBot: AlertScene['addBot'];
let several: AlertScene['several'];
let updates: AlertScene['updates'];

beforeAll(async () => {
  const settings = { PUBLIC_URL: 'http://127.0.0.1:1', RETENTION_EVENTS_DAYS: '1' };
  const expired = `insert into events (kind, text, at)
    select 'bot.added', 'old', now() - interval '3 days' from generate_series(1, ${EXPIRED_ROWS}); analyze events`;
  ({ postgres, redis, stored, fleet, prometheus, scrapeFleet, untilFired, addBot, several, updates } =
    await startAlertScene(parts, settings, ({ url }) => administer(url, expired)));
}, TEST_MS);
afterEach(() => fleet.control.clearFaults({}));
afterAll(() => parts.disposeAsync(), 60_000);

const push = ({ id }: FleetBot, secret: string) =>
  fetch(`${fleet.url}/telegram/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
    body: '{"update_id":1}',
    signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
  }).catch(() => undefined);
const signIn = (body: object) =>
  fetch(`${fleet.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
  }).catch(() => undefined);

test(
  'tell of backends, webhooks, rules and sign-ins that fail, of what is not stored or not removed, and of stores that are set wrong',
  async () => {
    const refusing = parts.adopt(
      await startBackend((_request, response) => void response.writeHead(500).end()),
      (own) => own.stop(),
    );
    const failing = await several(3, { proxy_enabled: true, backend_url: refusing.url });
    const hooked = await addBot({ webhook_mode: true });
    await fleet.control.setFault({
      ...{ bot: hooked.platformId, method: 'getWebhookInfo' },
      effect: { kind: 'status', status: 400, description: 'Bad Request: of this test' },
    });
    const [routed] = (await several(1, {})) as [FleetBot];
    const { id: stranger } = await fleet.control.createPerson({});
    const of = { source_bot_id: routed.id, target_bot_id: routed.id, target_chat_id: stranger };
    await fleet.rest('/api/routes/add', { ...of, condition_type: 'all', action: 'copy' });
    await stored.commands.xadd(botKeys(routed.id).history, '*', 'nonsense', 'x');
    const giveBack = await postgres.takeConnections(USED_CONNECTIONS);
    await stored.commands.config('SET', 'appendfsync', 'everysec');
    await stored.commands.config('SET', 'maxmemory', '1gb', 'maxmemory-policy', 'volatile-lru');
    await administer(postgres.url, `insert into kysely_migration values ('${LATER}', '2020-01-01')`);
    await updates(failing, 90, 30);
    await updates([routed], 20, 1);
    const strangers = () =>
      Promise.all([
        ...Array.from({ length: 4 }, () => push(hooked, 'a wrong secret')),
        signIn({ username: `nobody-${randomUUID()}`, password: 'wrong' }),
      ]);
    const ofUpdates = ['BackendsOpen', 'DeadLetters', 'DeliveriesFailing', 'Unstorable', 'WebhooksFailing'];
    const ofStores = ['PostgresConnections', 'RemovalWaits', 'RedisNotDurable', 'RedisEvicts', 'MigrationMismatch'];
    await untilFired([...ofUpdates, ...ofStores, 'PlatformWebhookUnauthorized', 'SignInFailures'], strangers);
    await giveBack();
    await administer(postgres.url, `delete from kysely_migration where name = '${LATER}'`);
  },
  TEST_MS,
);

test(
  'tell of processes that restart again and again, need all their memory, have a wrong clock, or are of another release',
  async () => {
    const { pid } = await fleet.start('worker', { WORKER_ROLES: 'upkeep', ...preload(AILING) });
    process.kill(pid, 'SIGUSR2');
    // From its sources, and without git, it does not know its commit.
    await fleet.start('api', { GIT_DIR: '/nowhere', BUILT_PROGRAMS: '' });
    const start = async () => {
      const started = await fleet.start('worker', { WORKER_ROLES: 'rules' });
      await scrapeFleet();
      return started;
    };
    let restarting = await start();
    const started = (times: number) =>
      prometheus.holds(`changes(process_start_time_seconds{job="flotilla-worker"}[15m]) >= ${times}`);
    await waitFor(() => prometheus.holds('flotilla_role{instance="worker-2"}'), SCRAPED);
    for (let times = 1; times <= 6; times += 1) {
      await restarting.kill();
      fleet.workers.splice(fleet.workers.indexOf(restarting), 1);
      restarting = await start();
      await waitFor(() => started(times), SCRAPED);
    }
    await untilFired(['ClockApart', 'MixedReleases', 'ProcessMemory', 'Restarts']);
    for (const extra of [...fleet.workers.splice(1), ...fleet.apis.splice(1)]) await extra.kill();
    await scrapeFleet();
  },
  TEST_MS,
);

test(
  'tell that polls are answered late, while an api is stopped again and again',
  async () => {
    const bot = await addBot({ long_poll_enabled: true });
    const { id: person } = await fleet.control.createPerson({});
    await fleet.control.startBot({ person, bot: bot.platformId, quietly: true });
    const [[api], [worker]] = [fleet.apis, fleet.workers] as unknown as [[Fleet['apis'][0]], [Fleet['workers'][0]]];
    const poll = async (query: string) => {
      const answer = await fetch(`http://127.0.0.1:${api.port}/tgapi/bot${bot.token}/getUpdates?${query}`);
      return ((await answer.json()) as { result: { update_id: number }[] }).result;
    };
    const accepted = async () => (await readMetric(worker, 'flotilla_updates_accepted_total')) ?? 0;
    await untilFired(['PollWakeSlow'], async () => {
      // Confirms all updates that are there, so that the next poll waits.
      await poll('offset=-1').then(([last]) => poll(`offset=${(last?.update_id ?? -1) + 1}`));
      const polled = poll('timeout=5');
      await waitFor(async () => (await readMetric(api, 'flotilla_waiting_polls')) === 1);
      const before = await accepted();
      process.kill(api.pid, 'SIGSTOP');
      try {
        await fleet.control.sendMessage({ person, bot: bot.platformId, text: 'x' });
        await waitFor(async () => (await accepted()) > before, { timeoutMs: 10_000 });
        await delay(STOPPED_MS);
      } finally {
        process.kill(api.pid, 'SIGCONT');
      }
      await polled;
    });
  },
  TEST_MS,
);

test(
  'tell of turns that crash again and again',
  async () => {
    const bot = await addBot();
    const { history } = botKeys(bot.id);
    await stored.commands.del(history);
    await stored.commands.set(history, 'no stream');
    await untilFired(['TurnsCrash'], () => updates([bot], 1, 1));
    await stored.commands.del(history);
  },
  TEST_MS,
);

test(
  'tell of a platform that answers no call, or 429 to every poll',
  async () => {
    const bots = await several(4, { proxy_enabled: true });
    const calls = () =>
      Promise.all(bots.map(({ token }) => fetch(`${fleet.url}/tgapi/bot${token}/getMe`).catch(() => undefined)));
    await fleet.control.setFault({ effect: { kind: 'reset' } });
    await untilFired(['PlatformUnreachable', 'PollingFailing', 'ProxyErrors'], calls);
    await fleet.control.clearFaults({});
    await fleet.control.setFault({ method: 'getUpdates', effect: { kind: 'status', status: 429, retryAfterS: 1 } });
    await untilFired(['PlatformFlood']);
  },
  TEST_MS,
);

test(
  'tell of a copy of the installation, of a Redis that is nearly full, and of a Postgres that is away',
  async () => {
    const used = Number(/used_memory:(\d+)/.exec(await stored.commands.info('memory'))?.[1]);
    await stored.commands.config('SET', 'maxmemory', String(Math.ceil(used * 1.05)), 'maxmemory-policy', 'noeviction');
    await untilFired(['RedisMemory60', 'RedisMemory80']);
    await stored.commands.config('SET', 'maxmemory', '0');
    await administer(postgres.url, 'update installation set restored_from = now()');
    await untilFired(['Quarantined']);
    await waitFor(() => fleet.rest('/api/system/adopt', {}));
    await postgres.kill();
    const asks = () => Promise.all([1, 2, 3].map(() => fleet.rest('/api/adminlog').catch(() => undefined)));
    await untilFired(['PostgresDown', 'PostgresErrors', 'RestErrors'], asks);
    await postgres.restart();
    await waitFor(() => fleet.rest('/api/adminlog'), { timeoutMs: 60_000 });
  },
  TEST_MS,
);

test(
  'tell that pushes of the platform fail, no upkeep succeeds and sent messages wait and are lost to the history, while Redis is away, and then that no process runs',
  async () => {
    const sender = await addBot({ proxy_enabled: true });
    const { id: person } = await fleet.control.createPerson({});
    await fleet.control.startBot({ person, bot: sender.platformId, quietly: true });
    const send = () =>
      fetch(`${fleet.url}/tgapi/bot${sender.token}/sendMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ chat_id: person, text: 'x', reply_markup: LONG_KEYBOARD }),
      }).catch(() => undefined);
    expect((await send())?.status).toBe(200);
    const hooked = await addBot({ webhook_mode: true });
    const { secretToken } = await fleet.control.readWebhook({ bot: hooked.platformId });
    expect(secretToken).toBeTruthy();
    redis.kill();
    const ofRedis = ['FiguresMissing', 'PlatformWebhookErrors', 'RedisDown', 'UpkeepFailing'];
    await untilFired([...ofRedis, 'CapturedCallsLost', 'CapturedCallsWait'], () =>
      Promise.all([
        ...Array.from({ length: 3 }, () => push(hooked, secretToken!)),
        ...Array.from({ length: SENT_AT_ONCE }, send),
      ]),
    );
    await Promise.all([...fleet.apis, ...fleet.workers].map((ended) => ended.kill()));
    await untilFired(['NoApi', 'RoleMissing', 'TargetDown']);
  },
  TEST_MS,
);
