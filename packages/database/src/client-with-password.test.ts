import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { PasswordError } from '@flotilla/runtime/password-source.ts';
import { administer, databaseUrl, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { connectLong } from './backup/long-client.ts';
import { connectDatabase, type Database } from './connect.ts';
import { isRefusedLogin, isUnavailable } from './is-unavailable.ts';

const ROLE = `by_token_${randomBytes(6).toString('hex')}`;

let database: TestDatabase;
let url: string;
let db: Database;
let given: string | Error = 'first';
let reads = 0;

let refusals = 0;
let afterRefusal: string | null = null;

const readPassword = {
  read: async () => {
    reads += 1;
    if (given instanceof Error) throw given;
    return given;
  },
  refused: () => {
    refusals += 1;
    given = afterRefusal ?? given;
  },
};
const accept = (password: string) => administer(database.url, `alter role ${ROLE} password '${password}'`);
const endConnections = () =>
  administer(database.url, `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${ROLE}'`);
/** A connection that waits for its password has no user yet. Those of other test files pass. */
const allHaveLoggedIn = async () => {
  const { rows } = await sql`select from pg_stat_activity where state = 'starting'`.execute(database.db);
  return rows.length === 0;
};
const whoAmI = async () => (await sql<{ name: string }>`select current_user as name`.execute(db)).rows[0]?.name;
const failure = () => whoAmI().catch((error: unknown) => error);

beforeAll(async () => {
  database = await testDatabase();
  await administer(database.url, `create role ${ROLE} login password 'first'`);
  // A password in the URL is not used.
  const { pathname } = new URL(database.url);
  url = Object.assign(new URL(databaseUrl(database.url, pathname.slice(1))), { username: ROLE, password: 'none' }).href;
  db = connectDatabase({ url, readPassword, maxConnections: 1 });
});
afterAll(async () => {
  await db?.destroy();
  await administer(database.url, `drop role ${ROLE}`);
  await database.drop();
});

test('each connection gets a password that was read for it, also when the first one is no longer accepted', async () => {
  expect([await whoAmI(), reads]).toEqual([ROLE, 1]);
  await accept('second');
  expect([await whoAmI(), reads]).toEqual([ROLE, 1]);
  await endConnections();
  given = 'second';
  await waitFor(async () => (await whoAmI()) === ROLE, { message: 'a connection with the new password' });
  const client = await connectLong({ url, readPassword }, 'flotilla-test');
  await client.end();
  expect(reads).toBe(3);
});

test('a password that cannot be read makes Postgres unavailable, and a refused one ends a start', async () => {
  await endConnections();
  given = new PasswordError('SETTING: the command ended with exit code 1');
  await waitFor(async () => /exit code 1/.test(String(await failure())));
  const unread = await failure();
  expect([isUnavailable(unread), isRefusedLogin(unread), refusals]).toEqual([true, false, 0]);
  await waitFor(allHaveLoggedIn, { message: 'no connection that still waits for its password' });
  given = 'wrong';
  const refused = await failure();
  expect([isUnavailable(refused), isRefusedLogin(refused), refusals]).toEqual([true, true, 1]);
});

test('a password that has changed since it was read costs no query, no backup and no restore', async () => {
  given = 'first';
  afterRefusal = 'second';
  expect(await whoAmI()).toBe(ROLE);
  given = 'first';
  const client = await connectLong({ url, readPassword }, 'flotilla-test');
  await client.end();
});

test('a server that accepts a connection and says nothing is given up', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const connecting = connectLong({ url: `postgres://ada@127.0.0.1:${port}/ada` }, 'flotilla-test');
  await expect(connecting.finally(() => silent.close())).rejects.toThrow('timeout expired');
}, 30_000);
