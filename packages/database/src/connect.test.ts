import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createMetrics } from '@flotilla/runtime/metrics.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { connectDatabase, type Database } from './connect.ts';
import { isUnavailable, readSqlState } from './is-unavailable.ts';

let database: TestDatabase;
const opened: Database[] = [];
const servers: Server[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  database = await testDatabase();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
  await Promise.all(opened.splice(0).map((db) => db.destroy()));
});

afterAll(async () => {
  await database.drop();
});

function open(url: string, queryTimeoutMs?: number): Database {
  const db = connectDatabase({ url, maxConnections: 1, ...(queryTimeoutMs === undefined ? {} : { queryTimeoutMs }) });
  opened.push(db);
  return db;
}

/** A server on a free port; returns the test database's URL with that port. */
async function listen(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const url = new URL(database.url);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return url.href;
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('64-bit integers are read as numbers', async () => {
  const { rows } = await sql`select 9007199254740991::bigint as n, array[1,2]::int[] as list`.execute(database.db);
  expect(rows).toEqual([{ n: 9_007_199_254_740_991, list: [1, 2] }]);
});

test('a Postgres that is not there, or never answers, is unavailable', async () => {
  const silent = await listen(() => {});
  const errors = await Promise.all([
    failure(sql`select 1`.execute(open('postgres://nobody@127.0.0.1:1/none'))),
    failure(sql`select 1`.execute(open(silent))),
  ]);
  expect(errors.map(isUnavailable)).toEqual([true, true]);
});

/** A relay to the test database, whose connections can fall silent. */
async function relay(): Promise<{ url: string; links: { client: Socket; upstream: Socket }[] }> {
  const target = new URL(database.url);
  const links: { client: Socket; upstream: Socket }[] = [];
  const url = await listen((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    sockets.push(upstream.on('error', () => {}));
    client.pipe(upstream).pipe(client);
    links.push({ client, upstream });
  });
  return { url, links };
}

test('a connection that fell silent is not used again', async () => {
  const { url, links } = await relay();
  const db = open(url, 500);
  await sql`select 1`.execute(db);
  links[0]?.upstream.unpipe(links[0].client);
  expect(isUnavailable(await failure(sql`select 1`.execute(db)))).toBe(true);
  await sql`select 1`.execute(db);
  expect(links).toHaveLength(2);
});

test('a scrape of the metrics does not keep a connection that fell silent', async () => {
  const { url, links } = await relay();
  const metrics = createMetrics();
  const db = connectDatabase({ url, maxConnections: 1, metrics });
  opened.push(db);
  expect(await metrics.registry.metrics()).toContain('flotilla_postgres_up 1');
  links[0]?.upstream.unpipe(links[0].client);
  expect(await metrics.registry.metrics()).toContain('flotilla_postgres_up 0');
  await waitFor(async () => (await metrics.registry.metrics()).includes('flotilla_postgres_up 1'));
  expect(links).toHaveLength(2);
});

describe('callers that wait for a connection', () => {
  const NAME = 'flotilla_postgres_connections';
  const LINE = /\{state="waiting"\} (\d+)$/m;
  const pool = () => {
    const metrics = createMetrics();
    const db = connectDatabase({ url: database.url, maxConnections: 1, metrics });
    opened.push(db);
    return { db, scrape: () => metrics.registry.metrics(), read: () => metrics.registry.getSingleMetricAsString(NAME) };
  };
  const waiting = (text: string) => Number(LINE.exec(text)?.[1]);

  test('are counted once they wait long', async () => {
    const { db, read } = pool();
    let end = () => {};
    const held = db.connection().execute(() => new Promise<void>((resolve) => (end = resolve)));
    const query = sql`select 1`.execute(db);
    await waitFor(async () => waiting(await read()) === 1);
    end();
    await Promise.all([held, query]);
    expect(waiting(await read())).toBe(0);
  });

  test('are not the queries of the scrape itself', async () => {
    const { scrape } = pool();
    await scrape();
    expect((await Promise.all([scrape(), scrape()])).map(waiting)).toEqual([0, 0]);
  });
});

test('a statement that takes too long on a living server is unavailable too', async () => {
  const error = await failure(sql`select pg_sleep(5)`.execute(open(database.url, 600)));
  expect(readSqlState(error)).toBe('57014');
  expect(isUnavailable(error)).toBe(true);
});

test('a Postgres that does not let us in any more, or has another certificate than we trust, is unavailable', async () => {
  const stranger = Object.assign(new URL(database.url), { password: 'of-yesterday' }).href;
  expect(isUnavailable(await failure(sql`select 1`.execute(open(stranger))))).toBe(true);
  const codes = ['CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'ERR_TLS_CERT_ALTNAME_INVALID'];
  expect(codes.map((code) => isUnavailable(Object.assign(new Error('certificate'), { code })))).toEqual([
    true,
    true,
    true,
  ]);
});

test('a refused statement is not unavailable', async () => {
  const error = await failure(sql`select 1 / 0`.execute(database.db));
  expect(readSqlState(error)).toBe('22012');
  expect([error, new Error('else'), null, 'text'].map(isUnavailable)).toEqual([false, false, false, false]);
});

test('a connection that ends in the middle of a statement or a transaction fails those alone, and is replaced', async () => {
  const db = open(database.url);
  const endConnectionOf = async (pid: number) => {
    await sql`select pg_terminate_backend(${pid}, 5000)`.execute(database.db);
  };
  const ownPid = async (connection: Database) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)).rows[0]?.pid ?? 0;

  const inStatement = await ownPid(db);
  const waiting = failure(sql`select pg_sleep(60)`.execute(db));
  await endConnectionOf(inStatement);
  expect(isUnavailable(await waiting)).toBe(true);

  const betweenStatements = db.transaction().execute(async (transaction) => {
    await endConnectionOf(await ownPid(transaction));
    await ownPid(transaction);
  });
  expect(isUnavailable(await failure(betweenStatements))).toBe(true);
  expect(await ownPid(db)).toBeGreaterThan(0);
});

test('queries that get no connection, because Postgres is down, are counted as failed', async () => {
  const metrics = createMetrics();
  const db = connectDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', maxConnections: 1, metrics });
  opened.push(db);
  expect(isUnavailable(await failure(sql`select 1`.execute(db)))).toBe(true);
  const { values } = await metrics.registry.getSingleMetric('flotilla_postgres_query_seconds')!.get();
  const counts = values.filter(({ labels }) => !('le' in labels) && labels.outcome === 'away');
  expect(Math.max(...counts.map(({ value }) => value))).toBeGreaterThan(0);
});
