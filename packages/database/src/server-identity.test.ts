import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { connectDatabase } from './connect.ts';
import { readServerIdentity } from './server-identity.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.drop();
});

test('a server that refuses to tell what it is, is asked only once', async () => {
  const { db } = database;
  await sql`create role limited login password 'limited'`.execute(db);
  await sql`revoke execute on function pg_control_system() from public`.execute(db);
  const url = Object.assign(new URL(database.url), { username: 'limited', password: 'limited' }).href;
  const limited = connectDatabase({ url, maxConnections: 1 });
  try {
    const told = await readServerIdentity(db);
    expect(told).toEqual({ server: expect.any(String), database_oid: expect.any(Number), timeline: '00000001' });
    expect(await readServerIdentity(limited)).toEqual({ ...told, server: null });
    // If it were asked again, it would tell now.
    await sql`grant execute on function pg_control_system() to public`.execute(db);
    expect(await readServerIdentity(limited)).toEqual({ ...told, server: null });
  } finally {
    await limited.destroy();
    await sql`drop role limited`.execute(db);
  }
});
