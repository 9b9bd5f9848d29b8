import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { administer, databaseUrl, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { type StoredMessage, storeMessages } from '@flotilla/testing/stored-messages.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { connectDatabase, type Database } from '../connect.ts';
import { readSqlState } from '../is-unavailable.ts';
import { detachOldestMonth, makeMonths } from '../month-partitions.ts';
import { folderSource, folderTarget } from './backup-folder.ts';
import { loadBackup } from './load-backup.ts';
import { writeBackup } from './write-backup.ts';

const [OCTOBER, NOVEMBER, JANUARY] = ['2023-10-05', '2023-11-05', '2024-01-05'].map(
  (day) => Date.parse(day) / 1000,
) as [number, number, number];
const CHAT = -7;
const signal = new AbortController().signal;

let source: TestDatabase;
let target: { url: string; db: Database };
let folder: string;
let backup: string;
let botId: number;

beforeEach(async () => {
  source = await testDatabase();
  folder = await throwAwayDir();
  backup = join(folder, 'backup');
  botId = await storedBot(source.db);
  await makeMonths(source.db, 'messages', OCTOBER, JANUARY);
  const name = `restored_${process.pid}_${Date.now()}`;
  await administer(source.url, `create database ${name}`);
  const url = databaseUrl(source.url, name);
  target = { url, db: connectDatabase({ url, maxConnections: 2 }) };
});
afterEach(async () => {
  await target.db.destroy();
  await administer(source.url, `drop database ${new URL(target.url).pathname.slice(1)} with (force)`);
  await source.drop();
  await rm(folder, { recursive: true, force: true });
});

const store = (date: number, ...messages: Partial<StoredMessage>[]) =>
  storeMessages(
    source.db,
    botId,
    messages.map((message, at) => ({ chat_id: CHAT, id: date + at, date, text: 'word', ...message })),
  );

/** Takes the oldest month out of its table, as retention does. */
const expireMonth = () =>
  source.db.transaction().execute(async (transaction) => {
    const month = (await detachOldestMonth(transaction, 'messages', JANUARY))!;
    await transaction.insertInto('expired_months').values({ name: month.name, until_date: month.untilS }).execute();
  });

/** Removes an expired month, as retention does; 'busy' while something else needs it. */
const drop = (month: string) =>
  administer(
    source.url,
    `set lock_timeout = '1s'; drop table ${month}; delete from expired_months where name = '${month}'`,
  ).then(
    () => 'dropped',
    (error: unknown) => (readSqlState(error) === '55P03' ? 'busy' : Promise.reject(error)),
  );

async function restored(): Promise<{ id: number; text: string | null }[]> {
  await loadBackup({ url: target.url, source: folderSource(backup), signal });
  return target.db.selectFrom('messages').select(['id', 'text']).orderBy('id').execute();
}

test('a backup has what an expired month still counts, and what was edited since only once', async () => {
  await store(OCTOBER, { text: 'subtracted' }, { text: 'counted' }, { text: 'before the edit' });
  await store(JANUARY, { text: 'new' });
  await expireMonth();
  await source.db
    .updateTable('expired_months')
    .set({ after_bot: botId, after_chat: CHAT, after_id: OCTOBER, after_date: OCTOBER })
    .execute();
  await store(OCTOBER + 2, { date: OCTOBER, text: 'edited', edit_date: JANUARY });
  await writeBackup({ url: source.url, target: await folderTarget(backup), signal });
  expect(await restored()).toEqual([
    { id: OCTOBER + 1, text: 'counted' },
    { id: OCTOBER + 2, text: 'edited' },
    { id: JANUARY, text: 'new' },
  ]);
});

test('retention drops an expired month as soon as the backup has it, and not earlier', async () => {
  await store(OCTOBER, { text: 'October' });
  await store(NOVEMBER, { text: 'November' });
  await expireMonth();
  await expireMonth();
  const dropped: Record<string, string[]> = {};
  const written = await folderTarget(backup);
  const open = (file: string) => {
    const inner = written.open(file);
    return new Writable({
      construct: (done) => {
        const trying = Promise.all(
          ['messages_2023_10', 'messages_2023_11'].map((month) => drop(month).catch(readSqlState)),
        );
        trying.then((outcomes) => {
          dropped[file] = outcomes;
          done();
        }, done);
      },
      write: (chunk, encoding, done) => void inner.write(chunk, encoding, done),
      final: (done) => void inner.end(done),
    });
  };
  await writeBackup({ url: source.url, target: { ...written, open }, signal });
  const [first, second, third] = Object.entries(dropped);
  expect([first, second, third]).toEqual([
    ['messages_2023_10.copy.gz', ['busy', 'busy']],
    ['messages_2023_11.copy.gz', ['dropped', 'busy']],
    ['bots.copy.gz', ['42P01', 'dropped']],
  ]);
  expect((await restored()).map(({ text }) => text)).toEqual(['October', 'November']);
});

test('a month that retention drops while the backup begins is not in it', async () => {
  await store(OCTOBER, { text: 'October' });
  await store(NOVEMBER, { text: 'November' });
  await expireMonth();
  let writing: Promise<unknown> = Promise.resolve();
  await source.db.transaction().execute(async (transaction) => {
    await sql`drop table messages_2023_10`.execute(transaction);
    await transaction.deleteFrom('expired_months').execute();
    writing = writeBackup({ url: source.url, target: await folderTarget(backup), signal });
    await waitFor(
      async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          source.db,
        );
        return rows.length > 0;
      },
      { message: 'the backup to wait for the month' },
    );
  });
  await writing;
  expect((await restored()).map(({ text }) => text)).toEqual(['November']);
});
