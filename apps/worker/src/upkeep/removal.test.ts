import { randomBytes } from 'node:crypto';
import { deletionStore } from '@flotilla/domain/fleet/bots/deletion-store.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readWorkerConfig } from '../config.ts';
import { startRemoval } from './removal.ts';

const DAY_S = 86_400;

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});

afterAll(async () => {
  await database.drop();
});

const log = createLogger({ name: 'test', level: 'silent' });
const clock = { nowMs: () => Date.now() + 120_000 };

async function left(): Promise<number[]> {
  const rows = await database.db.selectFrom('messages').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

test('a worker removes what was deleted and what has expired, and stops in the middle of it', async () => {
  const [kept, deleted] = [await storedBot(database.db), await storedBot(database.db)];
  const nowS = Math.floor(Date.now() / 1000);
  await storeMessages(database.db, kept, [
    { chat_id: 1, id: 1, date: nowS - 8 * DAY_S, text: 'old' },
    { chat_id: 1, id: 2, date: nowS - 6 * DAY_S, text: 'young' },
  ]);
  const gone = Array.from({ length: 2500 }, (_, at) => ({ chat_id: 1, id: at + 100, date: nowS, text: 'gone' }));
  await storeMessages(database.db, deleted, gone);
  await database.db.deleteFrom('bots').where('id', '=', deleted).execute();
  await deletionStore(database.db).addBot(deleted);
  const deps = { db: database.db, log, clock, config: { retentionDays: { messages: 7, audit: 0 } } };
  const first = startRemoval(deps);
  await waitFor(async () => (await left()).length < 2000);
  await first.stop();
  const second = startRemoval(deps);
  await waitFor(async () => (await left()).length === 1);
  await second.stop();
  expect(await left()).toEqual([2]);
});

test('how long things are kept is set in days, and is for ever by default', () => {
  const env = {
    DATABASE_URL: 'postgres://localhost/flotilla',
    REDIS_URL: 'redis://localhost',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  expect(readWorkerConfig(env).retentionDays).toEqual({ messages: 0, audit: 0 });
  const set = { ...env, MESSAGE_RETENTION_DAYS: '30', AUDIT_RETENTION_DAYS: '365' };
  expect(readWorkerConfig(set).retentionDays).toEqual({ messages: 30, audit: 365 });
  expect(() => readWorkerConfig({ ...env, MESSAGE_RETENTION_DAYS: '-1' })).toThrow(/MESSAGE_RETENTION_DAYS/);
});
