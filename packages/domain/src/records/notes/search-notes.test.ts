import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { searchNotes } from './search-notes.ts';

const CHAT = 5;
const NOTES = 2_000;

let database: TestDatabase;
/** One connection, whose open transaction counts the scans. */
let db: Database;
let bot_id: number;
let otherId: number;

beforeAll(async () => {
  database = await testDatabase();
  db = connectDatabase({ url: database.url, maxConnections: 1 });
  [bot_id, otherId] = [await storedBot(database.db), await storedBot(database.db)];
  await sql`
    insert into notes (bot_id, chat_id, account, text, search_text)
    select bot, ${CHAT}, 'ada', text, text from unnest(${[bot_id, otherId]}::bigint[]) as bot, generate_series(1, ${NOTES}) as number,
      lateral (select case when number = 1 then 'refund agreed' else 'number ' || number end as text) as texts`.execute(
    db,
  );
  await sql`analyze notes`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

/** Scans of the index of all words, as far as this connection has not told them yet. */
const scansNow = async () => {
  const counted = sql<{ scans: number }>`select pg_stat_get_xact_numscans('notes_words'::regclass) as scans`;
  return (await counted.execute(db)).rows[0]!.scans;
};

test.each([
  ['of whoever sees all bots', 'fleet', 2, 2],
  ['of some bots', () => ({ botIds: [bot_id] }), 1, 0],
  ['of a chat', () => ({ botId: bot_id, chatIds: [CHAT] }), 1, 0],
] as const)(
  'a search %s looks words up in notes of others only if it may find these',
  async (_whose, of, total, scans) => {
    const search = { q: 'refund', forms: new Map(), before: null, limit: 10 };
    await sql`begin`.execute(db);
    const before = await scansNow();
    const scope = of === 'fleet' ? of : of();
    const found = await searchNotes({ db }, { ...search, scope }, new AbortController().signal);
    const scanned = (await scansNow()) - before;
    await sql`rollback`.execute(db);
    expect([found.total, found.notes.length, scanned]).toEqual([total, total, scans]);
  },
);
