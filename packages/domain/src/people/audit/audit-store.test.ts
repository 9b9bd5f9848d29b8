import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { EVERYTHING } from '../accounts/scope.ts';
import { type AuditQuery, auditStore } from './audit-store.ts';

const ROWS = 60_000;
const BEGAN_S = 1_700_000_000;
/** All rows are older than the first month. */
const PARTITION = 'audit_log_before';

let database: TestDatabase;
/** A single connection, so that its statistics include a read as soon as the read is reported. */
let db: Database;

beforeAll(async () => {
  database = await testDatabase();
  db = connectDatabase({ url: database.url, maxConnections: 1 });
  await sql`
    insert into audit_log (bot_id, chat_id, action, actor_kind, actor_id, date)
    select nullif(n % 50, 0), case when n % 50 > 0 then -1 - n % 300 end,
      case when n % 50 = 0 then 'sign_in' when n % 500 = 1 then 'ban' else 'delete' end,
      case when n % 20 = 0 then 'account' else 'bot' end, n % 200, ${BEGAN_S} + n / 3
    from generate_series(1, ${ROWS}) as n`.execute(database.db);
  await sql`vacuum analyze audit_log`.execute(database.db);
}, 60_000);

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

async function wholeReads(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ count: number }>`
    select seq_scan as count from pg_stat_user_tables where relname = ${PARTITION}`.execute(db);
  return rows[0]!.count;
}

test.each<[string, AuditQuery]>([
  ['the fleet', {}],
  ['a bot', { bot_id: 7 }],
  ['a chat', { bot_id: 7, chat_id: -8 }],
  ['an action', { action: 'ban' }],
  ['an action that nobody did', { action: 'token_reveal' }],
  ['an account', { actor_id: 40 }],
  ['an account that did nothing', { actor_id: 4_000_000 }],
  ['a time', { fromS: BEGAN_S + 100, beforeS: BEGAN_S + 200 }],
  ['all of it', { bot_id: 7, action: 'ban', actor_id: 40, fromS: BEGAN_S, beforeS: BEGAN_S + 9000 }],
])('a page of %s is read by an index, and so is the next one', async (_title, query) => {
  const [store, before] = [auditStore(db), await wholeReads()];
  const page = { limit: 50, offset: 0 };
  const last = (await store.list(EVERYTHING, query, { ...page, before: null })).at(-1);
  if (last) await store.list(EVERYTHING, query, { ...page, before: [last.date, last.id] });
  expect(await wholeReads()).toBe(before);
});
