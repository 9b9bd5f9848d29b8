import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { memoryGrowth } from '@flotilla/testing/fleet/memory-growth.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { makeSelfSigned, startTlsAuthority } from '@flotilla/testing/tls-authority.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';

const BOTS = 60;
const MIB = 1024 * 1024;
/** Far below 60 texts of 3 MiB, far above the garbage that 60 calls leave. */
const GROWTH_AT_MOST = 150 * MIB;

let database: TestDatabase;
let fleet: Fleet;
let backend: Server;
let backendUrl: string;
let authority: string;
let arrived: number;

beforeAll(async () => {
  database = await testDatabase();
  fleet = await startFleet({ apis: 1, workers: 1 }, {}, database);
  const made = await startTlsAuthority();
  authority = await readFile(made.caFile, 'utf8');
  const { certFile, keyFile } = await made.issue('IP:127.0.0.1');
  arrived = 0;
  backend = createServer({ cert: await readFile(certFile), key: await readFile(keyFile) }, (request, response) => {
    request.resume().on('end', () => {
      arrived += 1;
      response.end();
    });
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  backendUrl = `https://127.0.0.1:${(backend.address() as AddressInfo).port}/`;
}, 60_000);
afterAll(async () => {
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
  await fleet.stop();
  await database.drop();
}, 60_000);

/** The authority's certificate, padded to this many bytes; the text differs for every bot. */
const textOf = (bot: FleetBot, bytes: number) => {
  const name = `the text of bot ${bot.id}\n`;
  return `${name}${authority}${'x'.repeat(bytes - name.length - authority.length)}`;
};

async function setWebhook(bot: FleetBot, certificate: string): Promise<{ description: string }> {
  const form = new FormData();
  form.set('url', `${backendUrl}${bot.id}`);
  form.set('certificate', new Blob([certificate]), 'certificate.pem');
  const response = await fetch(`${fleet.url}/tgapi/bot${bot.token}/setWebhook`, { method: 'POST', body: form });
  return (await response.json()) as { description: string };
}

async function growthWhile(doing: () => Promise<void>): Promise<number[]> {
  const [api, worker] = [fleet.apis[0]!, fleet.workers[0]!];
  let ofWorker = 0;
  const ofApi = await memoryGrowth(api.pid, async () => {
    ofWorker = await memoryGrowth(worker.pid, doing);
  });
  return [ofApi, ofWorker];
}

const say = (bot: FleetBot) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5,"type":"private"},"text":"hello"}`,
  });

/** The stored bytes of the certificates of all bots. */
async function keptBytes(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select sum(length(backend_certificate)) as bytes from bots`.execute(
    database.db,
  );
  return Number(rows[0]?.bytes);
}

test('of sixty certificates nothing is kept but themselves, however long the texts they come in', async () => {
  const bots: FleetBot[] = [];
  for (let made = 0; made < BOTS; made += 1) bots.push(await fleet.addBot());
  const answers = new Set<string>();
  const growth = await growthWhile(async () => {
    for (const bot of bots) answers.add((await setWebhook(bot, textOf(bot, 3 * MIB - 1))).description);
    for (const bot of bots) {
      const { description } = await setWebhook(bot, textOf(bot, 64 * 1024));
      answers.add(description);
      await say(bot);
    }
    await waitFor(() => arrived >= BOTS, { timeoutMs: 60_000, message: 'an update for every bot' });
  });
  expect(growth.filter((bytes) => bytes > GROWTH_AT_MOST)).toEqual([]);
  expect([...answers]).toEqual([`Bad Request: certificate size is too big (${3 * MIB - 1} bytes)`, 'Webhook was set']);
  expect(await keptBytes()).toBe(BOTS * authority.length);
  const info = await fetch(`${fleet.url}/tgapi/bot${bots[0]!.token}/getWebhookInfo`);
  expect(await info.json()).toMatchObject({ result: { has_custom_certificate: true } });
}, 180_000);

test('a self-signed certificate is taken once it was given, and until then everybody is told to give it', async () => {
  const { certFile, keyFile } = await makeSelfSigned('127.0.0.1');
  const [cert, key] = [await readFile(certFile, 'utf8'), await readFile(keyFile)];
  let delivered = 0;
  const server = createServer({ cert, key }, (request, response) => {
    delivered += 1;
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const sentence = 'The certificate of the backend is self-signed: give it to setWebhook as `certificate`';
  try {
    const bot = await fleet.addBot({ backend_url: url });
    await say(bot);
    const shown = () => fleet.rest<{ last_error: string }>(`/api/bots/show?id=${bot.id}`);
    await waitFor(async () => (await shown()).last_error === sentence, { timeoutMs: 30_000, message: 'last_error' });
    const [attempt] = await fleet.rest<object[]>(`/api/deliveries/attempts?bot_id=${bot.id}`);
    expect(attempt).toMatchObject({ status: 0, error: sentence });
    const info = await fetch(`${fleet.url}/tgapi/bot${bot.token}/getWebhookInfo`);
    expect(await info.json()).toMatchObject({ result: { last_error_message: sentence } });
    expect(await fleet.rest(`/api/bots/health?id=${bot.id}`)).toMatchObject({ healthy: false, error: sentence });
    expect(await fleet.rest('/api/bots/test-delivery', { bot_id: bot.id })).toMatchObject({ error: sentence });
    const form = new FormData();
    form.set('url', url);
    form.set('certificate', new Blob([cert]), 'certificate.pem');
    await fetch(`${fleet.url}/tgapi/bot${bot.token}/setWebhook`, { method: 'POST', body: form });
    await waitFor(() => delivered === 1, { timeoutMs: 30_000, message: 'the update' });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}, 90_000);
