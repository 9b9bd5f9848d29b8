import { systemClock } from '@flotilla/runtime/clock.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { platformClient } from '@flotilla/telegram/platform-client.ts';
import { allowOnly } from '@flotilla/testing/allow-only.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type BackendConnections, backendConnections } from '../../delivery/push/backend-connections.ts';
import { newSigning } from '../../fleet/bots/signing.ts';
import { recordEvent } from '../../people/events/record-event.ts';
import { type DeliverDeps, deliverEvents } from './deliver-events.ts';
import { sinkStore } from './sink-store.ts';

const LOOK_EVERY_MS = 10;
const secrets = secretBox(Buffer.alloc(32, 7).toString('base64'));
const unused = { directory: { byId: () => undefined } } as unknown as Pick<DeliverDeps, 'platform' | 'directory'>;

let database: TestDatabase;
let connections: BackendConnections;
let well: TestBackend;
/** Answers when `release` is called. */
let slow: TestBackend;
let release: () => void = () => undefined;
/** Of a sink that is switched off. */
let off: TestBackend;

beforeAll(async () => {
  database = await testDatabase();
  connections = backendConnections(allowOnly(['127.0.0.0/8']));
  [well, off] = [await startBackend(), await startBackend()];
  slow = await startBackend((_request, response) => {
    release = () => void response.end();
  });
});
afterAll(async () => {
  await connections.close();
  await Promise.all([database.drop(), well.stop(), slow.stop(), off.stop()]);
});

const deliver = (signal: AbortSignal, given = unused) => {
  const deps = { ...given, db: database.db, secrets, clock: systemClock, backends: connections, publicUrl: null };
  return deliverEvents(deps, LOOK_EVERY_MS, signal);
};
const KINDS = { slow: 'key.created', well: 'bot.added', off: 'chat.held' } as const;
const addSink = (name: keyof typeof KINDS, { url }: TestBackend) =>
  sinkStore(database.db, secrets).insert(
    {
      name,
      target: { kind: 'url', url },
      kinds: [KINDS[name]],
      bot_ids: null,
      awaits_minutes: 15,
      enabled: true,
      audit: false,
    },
    newSigning(),
  );
const waiting = async () => [...(await sinkStore(database.db, secrets).waiting()).values()];

test('a sink that does not answer delays no other, and a stop is no failure of it', async () => {
  const { id } = await addSink('slow', slow);
  await addSink('well', well);
  const stopping = new AbortController();
  await recordEvent(database.db, { kind: 'key.created', bot_id: null, text: 'a key' });
  const delivered = deliver(stopping.signal);
  await waitFor(() => slow.requests.length === 1);
  await recordEvent(database.db, {
    kind: 'bot.added',
    bot_id: null,
    text: 'a bot',
    by: { request: { id: 'of-the-call' } },
  });
  await waitFor(() => well.requests.length === 1);
  expect(well.requests[0]!.headers).toMatchObject({ 'flotilla-request-id': 'of-the-call' });
  expect(slow.requests[0]!.headers).not.toHaveProperty('flotilla-request-id');
  await waitFor(async () => (await waiting()).length === 1);
  stopping.abort();
  await delivered;
  expect(await sinkStore(database.db, secrets).find(id)).toMatchObject({ failing_since: null, last_error: '' });
  const again = deliver(new AbortController().signal);
  await waitFor(() => slow.requests.length === 2);
  release();
  await again;
  expect(await waiting()).toEqual([]);
});

test('the next event of a kind and a bot is due 5 minutes after the last one was delivered', async () => {
  await recordEvent(database.db, { kind: 'bot.added', bot_id: null, text: 'another bot' });
  const deliveries = database.db.selectFrom('event_deliveries').select(['delivered_at', 'due_at']);
  const [delivered, next] = await deliveries.where('kind', '=', 'bot.added').orderBy('id').execute();
  expect(next!.due_at.getTime() - delivered!.delivered_at!.getTime()).toBe(300_000);
});

test('a sink that is switched off gets nothing, not even what waits for it, until it is on again', async () => {
  const { id } = await addSink('off', off);
  const switchTo = (enabled: boolean) =>
    database.db.updateTable('event_sinks').set({ enabled }).where('id', '=', id).execute();
  await recordEvent(database.db, { kind: 'chat.held', bot_id: 7, text: 'taken over' });
  await switchTo(false);
  await deliver(new AbortController().signal);
  expect(off.requests).toEqual([]);
  await switchTo(true);
  await deliver(new AbortController().signal);
  expect(off.requests).toHaveLength(1);
});

test('a date in Retry-After is kept as seconds are', async () => {
  const url = await startBackend((_request, response) => {
    response.writeHead(503, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() }).end();
  });
  const { id } = await addSink('well', url);
  await recordEvent(database.db, { kind: 'bot.added', bot_id: null, text: 'a bot that came when it was busy' });
  await database.db
    .updateTable('event_deliveries')
    .set({ due_at: new Date(0) })
    .where('sink_id', '=', id)
    .execute();
  await deliver(new AbortController().signal);
  const row = database.db.selectFrom('event_deliveries').select('retry').where('sink_id', '=', id);
  const { nextTryAtMs } = JSON.parse((await row.executeTakeFirstOrThrow()).retry ?? '') as { nextTryAtMs: number };
  expect(nextTryAtMs - Date.now()).toBeGreaterThan(500_000);
  await sinkStore(database.db, secrets).remove(id);
  await url.stop();
});

test('a sink with the id of a group follows it to its supergroup, and the audit log says so', async () => {
  const server = await startBackend(({ text }, response) => {
    const moved = { ok: false, error_code: 400, description: 'moved', parameters: { migrate_to_chat_id: -100_5 } };
    const isOld = (JSON.parse(text) as { chat_id: number }).chat_id === -5;
    response.end(JSON.stringify(isOld ? moved : { ok: true, result: {} }));
  });
  const botId = await storedBot(database.db);
  const directory = { byId: () => ({ id: botId, token: '1:a', disabled: false }) };
  const store = sinkStore(database.db, secrets);
  const content = {
    name: 'group',
    kinds: ['bot.added' as const],
    bot_ids: null,
    awaits_minutes: 15,
    enabled: true,
    audit: false,
  };
  const { id } = await store.insert({ ...content, target: { kind: 'chat', bot_id: botId, chat_id: -5 } }, newSigning());
  await recordEvent(database.db, { kind: 'bot.added', bot_id: null, text: 'a bot of a group' });
  await database.db
    .updateTable('event_deliveries')
    .set({ due_at: new Date(0) })
    .where('sink_id', '=', id)
    .execute();
  const given = { platform: platformClient({ apiUrl: server.url }), directory } as unknown as typeof unused;
  await deliver(new AbortController().signal, given);
  expect(server.requests).toHaveLength(2);
  expect(await store.find(id)).toMatchObject({ target: { chat_id: -100_5 }, last_error: '' });
  const audited = database.db.selectFrom('audit_log').select('details').where('action', '=', 'sink_update');
  expect((await audited.executeTakeFirstOrThrow()).details).toContain('the group moved');
  await store.remove(id);
  await server.stop();
});

test('an event that waited for more than a day is not sent any more', async () => {
  await recordEvent(database.db, { kind: 'chat.held', bot_id: 8, text: 'long ago' });
  await database.db
    .updateTable('events')
    .set({ at: new Date(Date.now() - 86_500_000) })
    .where('bot_id', '=', 8)
    .execute();
  await deliver(new AbortController().signal);
  expect(off.requests).toHaveLength(1);
  const left = database.db.selectFrom('event_deliveries').select('id').where('delivered_at', 'is', null);
  expect(await left.where('kind', '=', 'chat.held').execute()).toEqual([]);
});
