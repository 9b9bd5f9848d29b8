import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { paceKeys } from '@flotilla/redis/call-keys.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import {
  ADMIN_KEY,
  FLEET_ENCRYPTION_KEY,
  type Fleet,
  type FleetBot,
  startFleet,
} from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RoutingScene, routingScene } from './routing/routing-scene.ts';

const METRICS = join(import.meta.dirname, '../../../docs/operations/metrics.md');
const BACKEND_SECRET = 'a-backend-secret-that-nobody-sees';
const PASSWORD = 'a password for tests';

let redis: TestRedis;
let fleet: Fleet;
let scene: RoutingScene;
let backend: TestBackend;
const tokens: string[] = [];
const texts: string[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
  fleet = await startFleet({ apis: 1, workers: 1 }, { PUBLIC_URL: 'http://127.0.0.1:1' }, undefined, redis);
  scene = await routingScene(fleet);
  backend = await startBackend((request, response) => {
    const failsOnce = request.text.includes('twice') && request.headers['flotilla-delivery-id'] !== seen;
    seen = String(request.headers['flotilla-delivery-id']);
    response.writeHead(failsOnce ? 500 : 200).end();
  });
  await someTraffic();
}, 120_000);
let seen = '';
afterAll(async () => {
  await scene?.close();
  await backend?.stop();
  await fleet?.stop();
  await redis?.stop();
}, 60_000);

const scrape = async (process: FleetProcess): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${process.metricsPort}/metrics`);
  expect(response.status).toBe(200);
  const text = await response.text();
  texts.push(text);
  return text;
};
const api = () => scrape(fleet.apis[0]!);
const worker = () => scrape(fleet.workers[0]!);
const addBot = async (fields: Record<string, unknown>): Promise<FleetBot> => {
  const bot = await fleet.addBot(fields);
  tokens.push(bot.token);
  return bot;
};
const call = (token: string, method: string, body?: object) =>
  fetch(`${fleet.url}/tgapi/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  });
const pushByPlatform = async (bot: FleetBot, body: string, secret?: string) => {
  const { secretToken } = await fleet.control.readWebhook({ bot: bot.platformId });
  tokens.push(String(secretToken));
  return fetch(`${fleet.url}/telegram/${bot.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret ?? String(secretToken) },
    body,
  });
};
const update = (id: number) =>
  `{"update_id":${id},"message":{"message_id":${id},"date":1780000000,"chat":{"id":5,"type":"private"},"text":"hello"}}`;

/** Makes some of everything that is counted; each call uses new bots and chats. */
async function someTraffic(): Promise<void> {
  const pushed = await addBot({ proxy_enabled: true, backend_url: backend.url, secret_token: BACKEND_SECRET });
  const pulled = await addBot({ long_poll_enabled: true });
  const hooked = await addBot({ long_poll_enabled: true, webhook_mode: true });
  const target = await addBot({});
  const ada = await scene.person([pushed, pulled, target]);
  await scene.rule(pushed, target, ada);
  const waiting = call(pulled.token, 'getUpdates', { timeout: 30 });
  await waitFor(async () => (await readMetric(fleet.apis[0]!, 'flotilla_waiting_polls')) === 1);
  await fleet.control.sendMessage({ person: ada, bot: pulled.platformId, text: 'wakes' });
  await waiting;
  for (const text of ['once', 'twice']) await fleet.control.sendMessage({ person: ada, bot: pushed.platformId, text });
  await call(pulled.token, 'sendMessage', { chat_id: ada, text: 'sent' });
  await call(pulled.token, 'getMe');
  await call(pulled.token, `madeUpMethod${pulled.id}`);
  await call(`${pulled.platformId}:not-a-token-that-anybody-has`, 'getMe');
  await fetch(`${fleet.url}/file/bot${pulled.token}/documents/none.txt`);
  for (const id of [100, 100]) expect((await pushByPlatform(hooked, update(id))).status).toBe(200);
  expect((await pushByPlatform(hooked, update(101), 'wrong')).status).toBe(401);
  await fleet.rest(`/api/updates/poll?bot_id=${hooked.id}&timeout=0`);
  await fleet.rest('/api/bots');
  await fetch(`${fleet.url}/api/bots`);
  await fetch(`${fleet.url}/api/nothing-at-${pulled.id}`);
  for (const password of ['not the password', PASSWORD]) await signIn(password);
  await waitFor(() => backend.requests.filter((request) => request.text.includes('twice')).length >= 2, {
    timeoutMs: 30_000,
  });
  backend.requests.length = 0;
  // Disabling the bot ends its polling turn, which would last half a minute.
  await fleet.rest('/api/bots/toggle-disabled', { id: pulled.id });
  await scene.sent(target, ada, 2);
}

function signIn(password: string): Promise<Response> {
  return fetch(`${fleet.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
}

/** The sum over the series of a metric with these labels. */
function total(text: string, name: string, labels: Record<string, string> = {}): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

type Kind = { type: string; labels: Set<string> };

/** Our own metrics in a scrape, with the labels they carry. */
function metricsIn(text: string): Map<string, Kind> {
  const found = new Map<string, Kind>();
  for (const [, name, type] of text.matchAll(/^# TYPE (flotilla_\S+) (\w+)$/gm)) {
    found.set(name!, { type: type!, labels: new Set() });
  }
  for (const [, series, labels] of text.matchAll(/^(flotilla_\w+)\{(.*)\} \S+$/gm)) {
    const name = found.has(series!) ? series! : series!.replace(/_(bucket|sum|count)$/, '');
    for (const [, label] of labels!.matchAll(/(\w+)="/g)) if (label !== 'le') found.get(name)!.labels.add(label!);
  }
  return found;
}

/** The rows of the documentation's table below this heading. */
function documented(heading: string): Map<string, Kind> {
  const section = readFileSync(METRICS, 'utf8')
    .split(/^##+ /m)
    .find((part) => part.startsWith(heading));
  const rows = (section ?? '').matchAll(/^\| `(flotilla_\w+)` \| (\w+) \|([^|]*)\|/gm);
  return new Map(
    [...rows].map(([, name, type, labels]) => [
      name!,
      {
        type: type!,
        labels: new Set(
          labels!
            .split(',')
            .map((label) => label.trim())
            .filter(Boolean),
        ),
      },
    ]),
  );
}

/** Every series without its value. Leaves out buckets, because they are the same everywhere. */
const seriesOf = (text: string) =>
  new Set(
    text
      .split('\n')
      .filter((line) => line.startsWith('flotilla_') && !line.includes('_bucket{'))
      .map((line) => line.slice(0, line.lastIndexOf(' '))),
  );

describe('the metrics', () => {
  test.each([
    ['flotilla_rest_request_seconds_count', { operation: 'listBots', status: '2xx' }],
    ['flotilla_rest_request_seconds_count', { operation: 'listBots', status: '4xx' }],
    ['flotilla_rest_request_seconds_count', { operation: 'none', status: '4xx' }],
    ['flotilla_sign_ins_total', { outcome: 'ok' }],
    ['flotilla_sign_ins_total', { outcome: 'refused' }],
    ['flotilla_proxy_calls_total', { kind: 'captured', method_class: 'send', status: '2xx' }],
    ['flotilla_proxy_calls_total', { kind: 'passed', method_class: 'get', status: '2xx' }],
    ['flotilla_proxy_calls_total', { kind: 'captured', method_class: 'other', status: '4xx' }],
    ['flotilla_proxy_calls_total', { kind: 'polled', method_class: 'updates', status: '2xx' }],
    ['flotilla_proxy_calls_total', { kind: 'file', method_class: 'file', status: '4xx' }],
    ['flotilla_proxy_call_seconds_count', { kind: 'passed' }],
    ['flotilla_proxy_captured_calls_total', { outcome: 'stored' }],
    ['flotilla_polls_total', { outcome: 'woken' }],
    ['flotilla_polls_total', { outcome: 'at_once' }],
    ['flotilla_poll_wake_seconds_count', {}],
    ['flotilla_updates_pulled_total', { by: 'get_updates' }],
    ['flotilla_updates_pulled_total', { by: 'rest' }],
    ['flotilla_platform_webhook_seconds_count', { outcome: 'accepted' }],
    ['flotilla_platform_webhook_seconds_count', { outcome: 'duplicate' }],
    ['flotilla_platform_webhook_seconds_count', { outcome: 'unauthorized' }],
    ['flotilla_updates_accepted_total', { intake: 'webhook' }],
    ['flotilla_platform_calls_total', { upstream: 'default', method: 'getMe', outcome: 'ok' }],
    ['flotilla_platform_call_seconds_count', { upstream: 'default', kind: 'call' }],
    ['flotilla_postgres_query_seconds_count', { outcome: 'ok' }],
    ['flotilla_postgres_wait_seconds_count', {}],
    ['flotilla_postgres_connections_max', {}],
    ['flotilla_redis_command_seconds_count', { outcome: 'ok' }],
    ['flotilla_redis_memory_share', {}],
    ['flotilla_redis_up', {}],
    ['flotilla_postgres_up', {}],
    ['flotilla_ready', {}],
    ['flotilla_build_info', { process: 'api' }],
    ['flotilla_role', { role: 'api' }],
    ['nodejs_eventloop_lag_p99_seconds', {}],
  ])('of an api move: %s %p', async (name, labels) => {
    await waitFor(async () => total(await api(), name, labels as Record<string, string>) > 0);
  });

  test.each([
    ['flotilla_updates_accepted_total', { intake: 'polling' }],
    ['flotilla_updates_pushed_total', { outcome: 'delivered' }],
    ['flotilla_updates_pushed_total', { outcome: 'refused' }],
    ['flotilla_push_request_seconds_count', { outcome: 'delivered' }],
    ['flotilla_push_lag_seconds_count', {}],
    ['flotilla_push_attempts_bucket', { le: '2' }],
    ['flotilla_updates_routed_total', { outcome: 'delivered' }],
    ['flotilla_routing_lag_seconds_count', {}],
    ['flotilla_turns_total', { kind: 'polling' }],
    ['flotilla_turns_total', { kind: 'push', next: 'held' }],
    ['flotilla_held_turns', { kind: 'push' }],
    ['flotilla_turns_total', { kind: 'rules', next: 'held' }],
    ['flotilla_turns_total', { kind: 'history', next: 'idle' }],
    ['flotilla_turn_seconds_count', { kind: 'push' }],
    ['flotilla_active_turns', { kind: 'polling' }],
    ['flotilla_history_entries_total', {}],
    ['flotilla_history_lag_seconds_count', {}],
    ['flotilla_history_batches_total', { outcome: 'written' }],
    ['flotilla_upkeep_rounds_total', { outcome: 'ok' }],
    ['flotilla_platform_calls_total', { upstream: 'default', method: 'getUpdates', outcome: 'ok' }],
    ['flotilla_platform_calls_total', { upstream: 'default', method: 'sendMessage', outcome: 'ok' }],
    ['flotilla_bots', { intake: 'polled' }],
    ['flotilla_bots', { intake: 'pushed' }],
    ['flotilla_backends', { state: 'ok' }],
    ['flotilla_log_entries', { of: 'all' }],
    ['flotilla_figures_age_seconds', {}],
    ['flotilla_redis_durable', {}],
    ['flotilla_redis_clients', {}],
    ['flotilla_redis_used_bytes', {}],
    ['flotilla_postgres_database_bytes', {}],
    ['flotilla_postgres_server_connections_max', {}],
    ['flotilla_last_backup_timestamp_seconds', {}],
    ['flotilla_backup_max_age_seconds', {}],
    ['flotilla_role', { role: 'upkeep' }],
    ['nodejs_eventloop_lag_p99_seconds', {}],
  ])(
    'of a worker move: %s %p',
    async (name, labels) => {
      await waitFor(async () => total(await worker(), name, labels as Record<string, string>) > 0, {
        timeoutMs: 50_000,
      });
    },
    60_000,
  );

  test('count a message whose routing crashed', async () => {
    const { commands, close } = await connectRedis({ url: redis.url, log: { warn: () => {} } });
    const [source, target] = [await addBot({}), await addBot({})];
    const ada = await scene.person([source, target]);
    await scene.rule(source, target, ada);
    await commands.set(paceKeys(target.id).chat(ada), 'no list');
    await close();
    await fleet.control.sendMessage({ person: ada, bot: source.platformId, text: 'crashes' });
    await waitFor(async () => total(await worker(), 'flotilla_updates_routed_total', { outcome: 'crashed' }) > 0, {
      timeoutMs: 30_000,
    });
  }, 60_000);

  test.each([
    ['an api', ['Metrics of every process', 'Metrics of the api']],
    ['a worker', ['Metrics of every process', 'Metrics of workers', 'Metrics of the whole fleet']],
  ])('of %s are those that the documentation names, with its types and labels', async (role, headings) => {
    const rows = new Map(headings.flatMap((heading) => [...documented(heading)]));
    const served = metricsIn(await (role === 'an api' ? api() : worker()));
    const known = Object.fromEntries([...rows].map(([name, { type }]) => [name, type]));
    expect(Object.fromEntries([...served].map(([name, { type }]) => [name, type]))).toEqual(known);
    for (const [name, { labels }] of served) {
      const undocumented = [...labels].filter((label) => !rows.get(name)!.labels.has(label));
      expect({ name, undocumented }).toEqual({ name, undocumented: [] });
    }
  });

  test('do not grow with bots, chats, methods or paths', async () => {
    const before = [seriesOf(await api()), seriesOf(await worker())];
    await someTraffic();
    await someTraffic();
    const after = [seriesOf(await api()), seriesOf(await worker())];
    // A turn may end with an outcome that did not occur before; no other series may be new.
    const grown = after.map((series, at) => [...series].filter((one) => !before[at]!.has(one)));
    expect(grown.flat().filter((one) => /madeUp|nothing-at/i.test(one))).toEqual([]);
    expect(grown.flat().length).toBeLessThanOrEqual(6);
  }, 120_000);

  test('tell no secret', async () => {
    await Promise.all([api(), worker()]);
    const secrets = [...tokens, ADMIN_KEY, PASSWORD, FLEET_ENCRYPTION_KEY, BACKEND_SECRET, backend.url];
    for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret);
  });

  test('do not call Redis away that was slow for longer than a command may take', async () => {
    await redis.freeze(1_200);
    expect(total(await api(), 'flotilla_redis_up')).toBe(1);
  });

  test('are served while Redis is away, and say so', async () => {
    redis.kill();
    await waitFor(async () => total(await worker(), 'flotilla_redis_up') === 0);
    const ofApi = await api();
    expect([total(ofApi, 'flotilla_redis_up'), total(ofApi, 'flotilla_ready')]).toEqual([0, 1]);
    // Values read within the last second are exported once more.
    await waitFor(async () => !/^flotilla_bots\{/m.test(await worker()));
    await redis.restart();
    await waitFor(async () => total(await worker(), 'flotilla_redis_up') === 1, { timeoutMs: 20_000 });
    await waitFor(async () => /^flotilla_bots\{/m.test(await worker()), { timeoutMs: 60_000 });
  }, 120_000);
});
