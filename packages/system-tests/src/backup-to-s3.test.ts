import { connectDatabase } from '@flotilla/database/connect.ts';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { administer, databaseUrl, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { type S3Server, startS3Server } from '@flotilla/testing/s3-server.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const PLACE = 's3://backups/fleet/daily';

let database: TestDatabase;
let s3: S3Server;
let folder: string;
const restored = `restored_s3_${process.pid}`;

beforeAll(async () => {
  database = await testDatabase();
  folder = await throwAwayDir();
  s3 = await startS3Server(folder, 'backups');
});
afterAll(async () => {
  await administer(database.url, `drop database if exists ${restored} with (force)`);
  await database.drop();
  await s3.stop();
  await removeDir(folder);
});

const settings = (more: Record<string, string> = {}) => ({
  DATABASE_URL: database.url,
  BACKUP_S3_ENDPOINT: s3.url,
  BACKUP_S3_ACCESS_KEY_ID: s3.accessKeyId,
  BACKUP_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  ...more,
});

test('a backup goes into an S3-compatible store, old ones are removed, and the newest is restored', async () => {
  const botId = await storedBot(database.db);
  await storeMessages(
    database.db,
    botId,
    Array.from({ length: 300 }, (_, at) => ({ chat_id: -7, id: at + 1, date: 1_700_000_000 + at, text: `word ${at}` })),
  );
  const named = await runMaintenance(['backup', `${PLACE}/2020-01-01T040000Z`], settings());
  expect(named).toMatchObject({ exitCode: 0, output: expect.stringContaining('holds the database as it was') });
  const again = await runMaintenance(['backup', `${PLACE}/2020-01-01T040000Z`], settings());
  expect(again).toMatchObject({ exitCode: 1, output: expect.stringContaining('exists already') });
  const kept = { BACKUP_KEEP_DAYS: '30', BACKUP_KEEP_NEWEST: '1' };
  const daily = await runMaintenance(['backup', '--into', PLACE], settings(kept));
  expect(daily).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining(`Removed from ${PLACE}: 2020-01-01T040000Z`),
  });
  const listed = await runMaintenance(['restore', '--list', PLACE], settings());
  expect(listed).toEqual({
    exitCode: 0,
    output: expect.stringMatching(/^s3:\/\/backups\/fleet\/daily\/2\d{3}-.*Z\n$/),
  });
  const gone = await runMaintenance(['restore', `${PLACE}/2020-01-01T040000Z`], settings());
  expect(gone).toMatchObject({ exitCode: 1, output: expect.stringContaining('it has no SHA256SUMS') });

  await administer(database.url, `create database ${restored}`);
  const url = databaseUrl(database.url, restored);
  const back = await runMaintenance(['restore', '--jobs', '2', '--latest', PLACE], settings({ DATABASE_URL: url }));
  expect(back).toMatchObject({ exitCode: 0, output: expect.stringContaining('The database is as it was at') });
  const db = connectDatabase({ url, maxConnections: 1 });
  const messages = await db.selectFrom('messages').select('text').where('bot_id', '=', botId).execute();
  await db.destroy();
  expect(messages).toHaveLength(300);
}, 120_000);

test('a wrong key is refused, and no output shows one', async () => {
  const wrong = { BACKUP_S3_ACCESS_KEY_ID: 'nobody', BACKUP_S3_SECRET_ACCESS_KEY: 'not-the-secret-of-this-store' };
  const refused = await runMaintenance(['backup', '--into', PLACE], settings(wrong));
  expect(refused).toMatchObject({ exitCode: 1, output: expect.stringContaining('403') });
  expect(refused.output).not.toContain(wrong.BACKUP_S3_SECRET_ACCESS_KEY);
  const { exitCode, output } = await runMaintenance(['backup', '--into', PLACE], { DATABASE_URL: database.url });
  expect([exitCode, output]).toEqual([1, expect.stringContaining('BACKUP_S3_ENDPOINT: is required')]);
}, 60_000);
