import type { AuditEntry } from '@flotilla/contract/audit.ts';
import type { eventSink } from '@flotilla/contract/event-sinks.ts';
import type { Changes } from '@flotilla/contract/resource.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { allowOnly } from '@flotilla/testing/allow-only.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type BackendConnections, backendConnections } from '../../delivery/push/backend-connections.ts';
import { newSigning } from '../../fleet/bots/signing.ts';
import { OPERATOR } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { deleteSink, updateSink } from './change-sinks.ts';
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
let meanwhile: () => unknown;

beforeAll(async () => {
  database = await testDatabase();
  connections = backendConnections(allowOnly(['127.0.0.0/8']));
  siem = await startBackend(async (_request, response) => {
    await meanwhile();
    response.writeHead(answers.shift() ?? 200).end();
  });
});
beforeEach(async () => {
  answers = [];
  meanwhile = () => undefined;
  siem.requests.length = 0;
  await database.db.deleteFrom('event_sinks').execute();
});
afterAll(async () => {
  await connections.close();
  await Promise.all([database.drop(), siem.stop()]);
});

const deliver = (clock = systemClock) => {
  const deps = { ...unused, db: database.db, secrets, clock, backends: connections, publicUrl: null };
  return deliverAudit(deps, new AbortController().signal);
};
const addSink = (botIds: number[] | null = null) =>
  sinkStore(database.db, secrets).insert(
    {
      ...{ name: 'siem', kinds: [], bot_ids: botIds, awaits_minutes: 15, enabled: true, audit: true },
      target: { kind: 'url', url: siem.url },
    },
    newSigning(),
  );
const sinkDeps = () => {
  const backendPolicy = allowOnly(['127.0.0.0/8']);
  return { db: database.db, secrets, clock: systemClock, publicUrl: null, backendPolicy };
};
const record = (details: string, botId?: number, db = database.db) =>
  recordAction(
    { db, clock: systemClock },
    { ...OPERATOR, request: { id: `of-${details}` } },
    {
      action: 'bot_update',
      details,
      ...(botId === undefined ? {} : { bot_id: botId }),
    },
  );
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
  expect(await sinkStore(database.db, secrets).find(id)).toMatchObject({ last_error: expect.stringContaining('503') });
  await isDue();
  await deliver();
  expect(got()).toEqual(['one', 'two', 'two', 'two', 'three']);
  const [, failed, again] = siem.requests;
  expect(again!.headers['webhook-id']).toBe(failed!.headers['webhook-id']);
  expect(again!.headers['webhook-signature']).toMatch(/^v1,/);
  expect(again!.headers['flotilla-request-id']).toBe('of-two');
  expect(JSON.parse(again!.text)).toMatchObject({
    type: 'audit.entry',
    data: { action: 'bot_update', actor_kind: 'account' },
  });
  expect(await sinkStore(database.db, secrets).find(id)).toMatchObject({ last_error: '', failing_since: null });
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

const actions = (at: string) =>
  siem.requests.flatMap(({ url, text }) =>
    url === at ? [(JSON.parse(text) as { data: AuditEntry }).data.action] : [],
  );

test.each<[string, Changes<typeof eventSink> | null, string[]]>([
  ['switched off', { enabled: false }, ['bot_update', 'sink_update']],
  ['led to another URL', { url: '/new' }, ['sink_update']],
  ['without the log', { audit: false }, ['sink_update']],
  ['deleted', null, ['sink_delete']],
])('the receiver of a sink that was %s learns of it', async (_, change, expected) => {
  for (const botIds of [null, [await storedBot(database.db)]]) {
    siem.requests.length = 0;
    const { id } = await addSink(botIds);
    const bot = botIds === null ? {} : { botId: botIds[0]! };
    await record('waits', bot.botId);
    if (change === null) await deleteSink(sinkDeps(), OPERATOR, id);
    else {
      const url = change.url === undefined ? {} : { url: `${siem.url}${change.url}` };
      await updateSink(sinkDeps(), OPERATOR, id, { ...change, ...url });
    }
    await record('later', bot.botId);
    // The sink is gone from the lists, with a copy of it that nobody sees.
    expect((await sinkStore(database.db, secrets).list()).length).toBe(change === null ? 0 : 1);
    await deliver();
    await deliver();
    expect(actions('/')).toEqual(expected);
    expect(actions('/new')).toEqual(
      change?.url === undefined ? [] : ['bot_update', ...(botIds ? [] : ['sink_update']), 'bot_update'],
    );
    expect(
      await database.db.selectFrom('event_sinks').select('id').where('removed_at', 'is not', null).execute(),
    ).toEqual([]);
    await database.db.deleteFrom('event_sinks').execute();
  }
});

test('a sink that is changed or deleted in the middle of its entries gets no more as it was', async () => {
  const { id } = await addSink();
  for (const name of ['one', 'two', 'three']) await record(name);
  meanwhile = async () => {
    meanwhile = () => undefined;
    await updateSink(sinkDeps(), OPERATOR, id, { url: `${siem.url}/new` });
  };
  await deliver();
  expect(siem.requests.map(({ url }) => url)).toEqual(['/', '/new', '/new', '/new']);
});

test('a slow sink does not keep the round, and so the others, waiting', async () => {
  await addSink();
  for (const name of ['one', 'two']) await record(name);
  let nowMs = Date.now();
  meanwhile = () => {
    nowMs += 20_000;
  };
  await deliver({ ...systemClock, nowMs: () => nowMs });
  expect(got()).toEqual(['one']);
  await deliver();
  expect(got()).toEqual(['one', 'two']);
});

test('what is recorded while a sink is being deleted waits for that, and is stored', async () => {
  const { id } = await addSink();
  let recorded: Promise<unknown> | undefined;
  await database.db.transaction().execute(async (db) => {
    await sinkStore(db, secrets).remove(id);
    recorded = record('meanwhile');
    await waitFor(async () => {
      const waits = sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await waits.execute(database.db)).rows[0]!.count > 0;
    });
  });
  await recorded;
  expect(await database.db.selectFrom('audit_deliveries').selectAll().execute()).toEqual([]);
});

test('sinks of the audit log can be changed and deleted at the same time', async () => {
  const sinks = await Promise.all(Array.from({ length: 8 }, () => addSink()));
  await Promise.all(
    sinks.map(({ id }, at) =>
      at % 2 === 0 ? deleteSink(sinkDeps(), OPERATOR, id) : updateSink(sinkDeps(), OPERATOR, id, { name: 'Desk' }),
    ),
  );
  expect((await sinkStore(database.db, secrets).list()).map(({ name }) => name)).toEqual(Array(4).fill('Desk'));
});
