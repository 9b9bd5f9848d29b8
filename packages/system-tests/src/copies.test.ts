import { join } from 'node:path';
import {
  ADMIN_KEY,
  FLEET_ENCRYPTION_KEY,
  type Fleet,
  type FleetBot,
  startFleet,
} from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { administer, databaseUrl } from '@flotilla/testing/postgres.ts';
import { startRedisOfForm } from '@flotilla/testing/redis-of-form.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const UPDATES = 120;

type Copy = { databaseUrl: string; redisUrl: string; api: FleetProcess; worker: FleetProcess; rest: RestClient };

let fleet: Fleet;
let bot: FleetBot;
let chat: number;
let folder: string;
const copies: (Copy & { stopRedis(): Promise<void> })[] = [];

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  bot = await fleet.addBot({ long_poll_enabled: true });
  ({ id: chat } = await fleet.control.createPerson({}));
  await fleet.control.startBot({ person: chat, bot: bot.platformId, quietly: true });
  folder = await throwAwayDir();
}, 60_000);
afterAll(async () => {
  for (const { databaseUrl: url } of copies) {
    await administer(fleet.database.url, `drop database if exists ${nameOf(url)} with (force)`);
  }
  await fleet.stop();
  for (const { stopRedis } of copies) await stopRedis();
  await removeDir(folder);
}, 60_000);

const nameOf = (url: string) => new URL(url).pathname.slice(1);
const sent = async (text: string) =>
  (await fleet.control.readCalls({ bot: bot.platformId, method: 'sendMessage' })).calls.filter(
    ({ params }) => params.text === text,
  ).length;

/** What our restore makes of a backup, and what another tool would: the same rows, with the mark as production has it. */
async function restoreTwice(): Promise<[ours: string, bare: string]> {
  const names = ['ours', 'bare'].map((name) => `copy_${name}_${process.pid}`) as [string, string];
  const [ours, bare] = names.map((name) => databaseUrl(fleet.database.url, name)) as [string, string];
  const target = join(folder, 'backup');
  expect(await runMaintenance(['backup', target], { DATABASE_URL: fleet.database.url })).toMatchObject({ exitCode: 0 });
  await administer(fleet.database.url, `create database ${names[0]}`);
  const restored = await runMaintenance(['restore', target], { DATABASE_URL: ours });
  expect(restored).toMatchObject({ exitCode: 0, output: expect.stringContaining('in quarantine') });
  await administer(fleet.database.url, `create database ${names[1]} template ${names[0]}`);
  const production = await fleet.rest<{ installation_id: string }>('/api/system');
  await administer(
    bare,
    `update installation set restored_from = null, id = '${production.installation_id}', server = s.system_identifier::text,
      database_oid = d.oid, timeline = '00000001'
     from pg_control_system() s, pg_database d where d.datname = '${nameOf(fleet.database.url)}'`,
  );
  return [ours, bare];
}

async function startCopy(url: string, ofProduction: Fleet['redis'] | null = null): Promise<Copy> {
  const own = ofProduction === null ? await startRedisOfForm() : null;
  const settings = { DATABASE_URL: url, REDIS_URL: (own ?? fleet.redis).url };
  const [api, worker] = await Promise.all([fleet.start('api', settings), fleet.start('worker', settings)]);
  // The load balancer of production must not lead to a copy.
  fleet.apis.splice(fleet.apis.indexOf(api), 1);
  const rest = restClient(`http://127.0.0.1:${api.port}`, ADMIN_KEY);
  const copy = { databaseUrl: url, redisUrl: settings.REDIS_URL, api, worker, rest };
  copies.push({ ...copy, stopRedis: async () => own?.stop() });
  return copy;
}

const proxied = async ({ api }: Copy, method: string, parameters: object) => {
  const response = await fetch(`http://127.0.0.1:${api.port}/tgapi/bot${bot.token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  });
  return [response.status, (await response.json()) as { ok: boolean; result?: unknown; description?: string }] as const;
};

/** What the command `doctor` would have mended or looked at. */
async function wrongByDoctor({ databaseUrl: url, redisUrl }: Copy): Promise<string[]> {
  const { output } = await runMaintenance(['doctor', '--json'], {
    ...{ DATABASE_URL: url, REDIS_URL: redisUrl, TELEGRAM_API_URL: fleet.simulator.url },
    ENCRYPTION_KEY: FLEET_ENCRYPTION_KEY,
  });
  const { findings } = JSON.parse(output) as { findings: { level: string; check: string; found: string }[] };
  return findings.filter(({ level }) => level !== 'ok').map(({ check, found }) => `${check}: ${found}`);
}

/** A restored copy whose operator forgot to change REDIS_URL. */
async function expectNoChangeInRedisOfProduction(restored: string): Promise<void> {
  const copy = await startCopy(restored, fleet.redis);
  const refused = { status: 503, json: { code: 'quarantined' } };
  expect(await proxied(copy, 'getUpdates', { offset: -1 })).toMatchObject([503, { ok: false }]);
  expect(await copy.rest('GET', `/api/updates/poll?bot_id=${bot.id}&timeout=0`)).toMatchObject(refused);
  const changes = { '/api/bots/update': { name: 'a copy' }, '/api/bots/delete': {} };
  for (const [path, fields] of Object.entries(changes)) {
    expect(await copy.rest('POST', path, { body: { id: bot.id, ...fields } })).toMatchObject(refused);
  }
  // What waits is decided before the copy takes over.
  expect(await copy.rest('POST', '/api/outbox/cancel', { body: { ids: [1_000_000] } })).toMatchObject({ status: 200 });
  const owned = expect.stringContaining('Redis belongs to an installation that runs (');
  expect(await copy.rest('POST', '/api/system/adopt', { body: {} })).toMatchObject({
    status: 409,
    json: { error: owned },
  });
  const command = await runMaintenance(['adopt'], { DATABASE_URL: restored, REDIS_URL: fleet.redis.url });
  expect(command).toMatchObject({ exitCode: 1, output: owned });
  const unanswered = await runMaintenance(['adopt'], { DATABASE_URL: restored, REDIS_URL: 'redis://127.0.0.1:1' });
  expect(unanswered).toMatchObject({ exitCode: 1, output: expect.stringMatching(/Redis does not answer.*--force/) });
  const { replicas } = await fleet.rest<{ replicas: { kind: string }[] }>('/api/fleet');
  expect(replicas.map(({ kind }) => kind).sort()).toEqual(['api', 'worker']);
  await Promise.all([copy.api, copy.worker].map((process) => process.stop()));
}

async function pollAll(count: number): Promise<number[]> {
  const ids: number[] = [];
  let offset = 0;
  await waitFor(
    async () => {
      const response = await fetch(`${fleet.url}/tgapi/bot${bot.token}/getUpdates?timeout=2&offset=${offset}`);
      const { result } = (await response.json()) as { result: { update_id: number }[] };
      ids.push(...result.map(({ update_id }) => update_id));
      offset = (ids.at(-1) ?? offset - 1) + 1;
      return ids.length >= count;
    },
    { timeoutMs: 60_000, message: `${count} updates in production` },
  );
  return ids;
}

test('copies beside production take no update and send nothing, until one of them takes over', async () => {
  const dueS = Math.ceil(Date.now() / 1000) + 40;
  await fleet.rest('/api/outbox/add', {
    ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id: chat, text: 'scheduled' }, send_at: dueS },
  });
  const [ours, bare] = await restoreTwice();
  const [restored, copied] = await Promise.all([startCopy(ours), startCopy(bare)]);
  const production = await fleet.rest<{ quarantined: boolean }>('/api/system');
  expect(production).toMatchObject({ quarantined: false });
  await fleet.control.generate({ bots: [bot.platformId], chats: 5, count: UPDATES, perSecond: 20 });
  expect(new Set(await pollAll(UPDATES)).size).toBe(UPDATES);
  await waitFor(async () => (await sent('scheduled')) > 0, { timeoutMs: 60_000, message: 'the scheduled message' });

  for (const copy of [restored, copied]) {
    const { json: system } = await copy.rest('GET', '/api/system');
    expect(system).toMatchObject({ quarantined: true, quarantine_reason: expect.stringContaining('may still run') });
    expect((await copy.rest('GET', '/api/bots')).json).toMatchObject([{ id: bot.id }]);
    expect((await copy.rest('GET', '/api/events?kinds=installation.quarantined')).json).toMatchObject([
      { kind: 'installation.quarantined' },
    ]);
    expect(await readMetric(copy.worker, 'flotilla_quarantined')).toBe(1);
    const text = { chat_id: chat, text: 'from a copy' };
    expect(await proxied(copy, 'sendMessage', text)).toMatchObject([
      503,
      { ok: false, description: expect.stringContaining('quarantine') },
    ]);
    expect(await proxied(copy, 'getMe', {})).toMatchObject([200, { ok: true }]);
    const refused = { status: 503, json: { code: 'quarantined' } };
    const message = { bot_id: bot.id, ...text };
    expect(await copy.rest('POST', '/api/messages/send', { body: message })).toMatchObject(refused);
    const entry = { bot_id: bot.id, method: 'sendMessage', params: text };
    expect(await copy.rest('POST', '/api/outbox/add', { body: entry })).toMatchObject(refused);
    const removed = { body: { id: bot.id } };
    expect(await copy.rest('POST', '/api/bots/take-back', removed)).toMatchObject(refused);
    // People decide what waits before the copy takes over.
    const { json: waiting } = await copy.rest('GET', '/api/outbox');
    expect(waiting).toMatchObject([{ state: 'scheduled' }]);
  }
  expect(await wrongByDoctor(restored)).toEqual([
    'installation: it is in quarantine, and polls and sends nothing: the database was restored from a backup, and the installation that was backed up may still run',
  ]);
  await expectNoChangeInRedisOfProduction(ours);
  expect([await sent('scheduled'), await sent('from a copy')]).toEqual([1, 0]);

  // Production is lost, and the copies are tried one after the other.
  await Promise.all([...fleet.apis.splice(0), fleet.workers[0]!].map((process) => process.stop()));
  const { json: entries } = await restored.rest('GET', '/api/outbox');
  const { id } = (entries as { id: number }[])[0]!;
  await restored.rest('POST', '/api/outbox/cancel', { body: { ids: [id] } });
  expect(await restored.rest('POST', '/api/system/adopt', { body: {} })).toMatchObject({ status: 200 });
  fleet.apis.push(restored.api);
  await fleet.control.generate({ bots: [bot.platformId], chats: 5, count: 10, perSecond: 20 });
  expect(await pollAll(10)).toHaveLength(10);
  expect((await restored.rest('GET', '/api/adminlog?action=adopt')).json).toHaveLength(1);
  await waitFor(async () => (await proxied(restored, 'sendMessage', { chat_id: chat, text: 'adopted' }))[0] === 200);
  await Promise.all([restored.api, restored.worker].map((process) => process.stop()));
  fleet.apis.splice(0);

  expect(await runMaintenance(['adopt'], { DATABASE_URL: copied.databaseUrl })).toMatchObject({ exitCode: 0 });
  const again = await runMaintenance(['adopt'], { DATABASE_URL: copied.databaseUrl });
  expect(again.exitCode).toBe(0);
  fleet.apis.push(copied.api);
  await fleet.control.generate({ bots: [bot.platformId], chats: 5, count: 10, perSecond: 20 });
  // Some that the first copy had not confirmed come again.
  await pollAll(10);
}, 300_000);
