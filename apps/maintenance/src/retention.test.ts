import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const DAY_S = 86_400;
const OLD = 40;

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('retention says of a new installation that there is nothing', async () => {
  const days = { RETENTION_MESSAGES_DAYS: '10', RETENTION_AUDIT_DAYS: '10' };
  const { output } = await runMaintenance(['retention'], { DATABASE_URL: database.url, ...days });
  const found = Array.from(output.matchAll(/^(\w+): about (\d+ of \d+) rows/gm), ([, table, rows]) => [table, rows]);
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter(([, rows]) => rows !== '0 of 0')).toEqual([]);
});

test('retention says what would go with these settings, and removes nothing', async () => {
  const { db } = database;
  const bot = await storedBot(db);
  const nowS = Math.floor(Date.now() / 1000);
  const messages = Array.from({ length: 100 }, (_, at) => ({
    ...{ chat_id: 1, id: at + 1, text: 'x' },
    date: nowS - (at < OLD ? 20 : 1) * DAY_S,
  }));
  await storeMessages(db, bot, messages);
  const wouldGo = async (settings: Record<string, string>) => {
    const { exitCode, output } = await runMaintenance(['retention'], { DATABASE_URL: database.url, ...settings });
    expect(exitCode).toBe(0);
    return new Map(Array.from(output.matchAll(/^(\w+): about (\d+) of/gm), ([, table, rows]) => [table, Number(rows)]));
  };
  const kept = await wouldGo({});
  expect(kept.has('messages')).toBe(false);
  const found = await wouldGo({ RETENTION_MESSAGES_DAYS: '10' });
  expect(found.get('messages')).toBe(OLD);
  expect(found.get('journal_pages')).toBe(0);
  expect(await db.selectFrom('messages').select('id').execute()).toHaveLength(messages.length);
  const unknown = await runMaintenance(['retention', '--now'], { DATABASE_URL: database.url });
  expect(unknown).toMatchObject({ exitCode: 1, output: expect.stringContaining("unknown option '--now'") });
});
