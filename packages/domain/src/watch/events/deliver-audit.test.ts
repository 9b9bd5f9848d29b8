import { systemClock } from '@flotilla/runtime/clock.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { allowOnly } from '@flotilla/testing/allow-only.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type BackendConnections, backendConnections } from '../../delivery/push/backend-connections.ts';
import { newSigning } from '../../fleet/bots/signing.ts';
import { OPERATOR } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { deliverAudit } from './deliver-audit.ts';
import type { DeliverDeps } from './deliver-events.ts';
import { sinkStore } from './sink-store.ts';

const secrets = secretBox(Buffer.alloc(32, 7).toString('base64'));
const unused = { directory: { byId: () => undefined } } as unknown as Pick<DeliverDeps, 'platform' | 'directory'>;

let database: TestDatabase;
let connections: BackendConnections;
let siem: TestBackend;
/** What the backend answers to the next requests; 200 when it is empty. */
let answers: number[];

beforeAll(async () => {
  database = await testDatabase();
  connections = backendConnections(allowOnly(['127.0.0.0/8']));
  siem = await startBackend((_request, response) => void response.writeHead(answers.shift() ?? 200).end());
});
beforeEach(async () => {
  answers = [];
  siem.requests.length = 0;
  await database.db.deleteFrom('event_sinks').execute();
});
afterAll(async () => {
  await connections.close();
  await Promise.all([database.drop(), siem.stop()]);
});

const deliver = () => {
  const deps = { ...unused, db: database.db, secrets, clock: systemClock, backends: connections, publicUrl: null };
  return deliverAudit(deps, new AbortController().signal);
};
const addSink = (botIds: number[] | null = null) =>
  sinkStore(database.db, secrets).insert(
    {
      ...{ name: 'siem', kinds: [], botIds, awaitsMinutes: 15, enabled: true, audit: true },
      target: { kind: 'url', url: siem.url },
    },
    newSigning(),
  );
const record = (details: string, botId?: number, db = database.db) =>
  recordAction({ db, clock: systemClock }, OPERATOR, {
    action: 'bot_update',
    details,
    ...(botId === undefined ? {} : { botId }),
  });
const got = () => siem.requests.map(({ text }) => (JSON.parse(text) as { data: { details: string } }).data.details);
const isDue = () =>
  database.db
    .updateTable('event_sinks')
    .set({ audit_due_at: new Date(0) })
    .execute();

test('a sink gets every entry of the audit log, signed, in order, and again what it did not take', async () => {
  const { id } = await addSink();
  for (const name of ['one', 'two', 'three']) await record(name);
  await database.db
    .transaction()
    .execute(async (db) => {
      await record('of a change that was rolled back', undefined, db);
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  answers = [200, 503, 503];
  await deliver();
  expect(got()).toEqual(['one', 'two']);
  // The first try again is at once, the second one is not.
  await deliver();
  await deliver();
  expect(got()).toEqual(['one', 'two', 'two']);
  expect(await sinkStore(database.db, secrets).find(id)).toMatchObject({ lastError: expect.stringContaining('503') });
  await isDue();
  await deliver();
  expect(got()).toEqual(['one', 'two', 'two', 'two', 'three']);
  const [, failed, again] = siem.requests;
  expect(again!.headers['webhook-id']).toBe(failed!.headers['webhook-id']);
  expect(again!.headers['webhook-signature']).toMatch(/^v1,/);
  expect(JSON.parse(again!.text)).toMatchObject({
    type: 'audit.entry',
    data: { action: 'bot_update', actor_kind: 'account' },
  });
  expect(await sinkStore(database.db, secrets).find(id)).toMatchObject({ lastError: '', failingSince: null });
});

test('a sink of some bots gets their entries only, one that is off gets none, and none waits for over a week', async () => {
  const bot = await storedBot(database.db);
  const { id } = await addSink([bot]);
  await record('of the fleet');
  await record('of the bot', bot);
  await deliver();
  expect(got()).toEqual(['of the bot']);
  await record('too old', bot);
  await sql`update audit_deliveries set queued_at = now() - interval '8 days'`.execute(database.db);
  await deliver();
  await database.db.updateTable('event_sinks').set({ enabled: false }).where('id', '=', id).execute();
  await record('while it is off', bot);
  await deliver();
  expect(got()).toEqual(['of the bot']);
  expect(await database.db.selectFrom('audit_deliveries').selectAll().execute()).toEqual([]);
});
