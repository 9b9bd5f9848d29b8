import { systemClock } from '@flotilla/runtime/clock.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { allowOnly } from '@flotilla/testing/allow-only.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type BackendConnections, backendConnections } from '../../delivery/push/backend-connections.ts';
import { newSigning } from '../../fleet/bots/signing.ts';
import { recordEvent } from '../../people/events/record-event.ts';
import { type DeliverDeps, deliverEvents } from './deliver-events.ts';
import { sinkStore } from './sink-store.ts';

const LOOK_EVERY_MS = 10;
const secrets = secretBox(Buffer.alloc(32, 7).toString('base64'));
const unused = {} as Pick<DeliverDeps, 'platform' | 'directory'>;

let database: TestDatabase;
let connections: BackendConnections;
let well: TestBackend;
/** Answers when `release` is called. */
let slow: TestBackend;
let release: () => void = () => undefined;

beforeAll(async () => {
  database = await testDatabase();
  connections = backendConnections(allowOnly(['127.0.0.0/8']));
  well = await startBackend();
  slow = await startBackend((_request, response) => {
    release = () => void response.end();
  });
});
afterAll(async () => {
  await connections.close();
  await Promise.all([database.drop(), well.stop(), slow.stop()]);
});

const deliver = (signal: AbortSignal) => {
  const deps = { ...unused, db: database.db, secrets, clock: systemClock, backends: connections, publicUrl: null };
  return deliverEvents(deps, LOOK_EVERY_MS, signal);
};
const addSink = (name: string, { url }: TestBackend) =>
  sinkStore(database.db, secrets).insert(
    {
      name,
      target: { kind: 'url', url },
      kinds: [name === 'slow' ? 'key.created' : 'bot.added'],
      botIds: null,
      awaitsMinutes: 15,
      enabled: true,
    },
    newSigning(),
  );
const waiting = async () => [...(await sinkStore(database.db, secrets).waiting()).values()];

test('a sink that does not answer delays no other, and a stop is no failure of it', async () => {
  const { id } = await addSink('slow', slow);
  await addSink('well', well);
  const stopping = new AbortController();
  await recordEvent(database.db, { kind: 'key.created', botId: null, text: 'a key' });
  const delivered = deliver(stopping.signal);
  await waitFor(() => slow.requests.length === 1);
  await recordEvent(database.db, { kind: 'bot.added', botId: null, text: 'a bot' });
  await waitFor(() => well.requests.length === 1);
  await waitFor(async () => (await waiting()).length === 1);
  stopping.abort();
  await delivered;
  expect(await sinkStore(database.db, secrets).find(id)).toMatchObject({ failingSince: null, lastError: '' });
  const again = deliver(new AbortController().signal);
  await waitFor(() => slow.requests.length === 2);
  release();
  await again;
  expect(await waiting()).toEqual([]);
});

test('the next event of a kind and a bot is due 5 minutes after the last one was delivered', async () => {
  await recordEvent(database.db, { kind: 'bot.added', botId: null, text: 'another bot' });
  const deliveries = database.db.selectFrom('event_deliveries').select(['delivered_at', 'due_at']);
  const [delivered, next] = await deliveries.where('kind', '=', 'bot.added').orderBy('id').execute();
  expect(next!.due_at.getTime() - delivered!.delivered_at!.getTime()).toBe(300_000);
});
