import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { administer, databaseUrl, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { type StoredMessage, storeMessages } from '@flotilla/testing/stored-messages.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { connectDatabase, type Database } from '../connect.ts';
import { migrations } from '../migrations.ts';
import { pendingMigrations } from '../pending-migrations.ts';
import { readDatabaseState } from '../server-state.ts';
import { BACKED_UP_TABLES } from './backed-up-tables.ts';
import { CHECKSUM_FILE, MANIFEST_FILE } from './backup-manifest.ts';
import { loadBackup } from './load-backup.ts';
import { recordBackup } from './record-backup.ts';
import { writeBackup } from './write-backup.ts';

const AWKWARD = ['tab\tnew\nline\r\\back\\n', 'Ünïcödé 漢字 🔑 مرحبا', '\\.', '', '\\N', '"quoted", {braces}'];

let source: TestDatabase;
let target: { url: string; db: Database };
let folder: string;
let backup: string;

beforeEach(async () => {
  source = await testDatabase();
  folder = await throwAwayDir();
  backup = join(folder, 'backup');
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

const signal = new AbortController().signal;
const write = () => writeBackup({ url: source.url, target: backup, signal });
const load = () => loadBackup({ url: target.url, source: backup, signal });

const messages = (texts: (string | null)[], firstId = 1): StoredMessage[] =>
  texts.map((text, at) => ({ chat_id: -7, id: firstId + at, date: 1_700_000_000 + at, text }));

/** Rows of every table as Postgres writes them. Revisions are left out, because a restore draws new ones. */
async function contents(db: Database): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const table of BACKED_UP_TABLES) {
    const { rows } = await sql<{ row: string }>`
      select (to_jsonb(t) - 'revision')::text as row from ${sql.table(table)} t order by 1`.execute(db);
    tables[table] = rows.map(({ row }) => row);
  }
  return tables;
}

async function indexes(db: Database): Promise<unknown[]> {
  const { rows } = await sql`select indexdef from pg_indexes where schemaname = 'public' order by 1`.execute(db);
  return rows;
}

async function rewriteManifest(change: (text: string) => string): Promise<void> {
  const path = join(backup, MANIFEST_FILE);
  const sums = await readFile(join(backup, CHECKSUM_FILE), 'utf8');
  await writeFile(path, change(await readFile(path, 'utf8')));
  const { createHash } = await import('node:crypto');
  const checksum = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  const lines = sums.split('\n').map((line) => (line.endsWith(MANIFEST_FILE) ? `${checksum}  ${MANIFEST_FILE}` : line));
  await writeFile(join(backup, CHECKSUM_FILE), lines.join('\n'));
}

describe('a backup', () => {
  test('brings every row back as it was, in any script, and this release’s schema', async () => {
    const botId = await storedBot(source.db);
    await storeMessages(source.db, botId, messages([...AWKWARD, null]));
    const account = await source.db
      .insertInto('accounts')
      .values({ username: 'ada', username_key: 'ada', password_hash: 'hash', role: 'admin', last_login_at: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    await source.db.insertInto('account_bots').values({ account_id: account.id, bot_id: botId }).execute();
    await source.db.insertInto('deletions').values({ bot_id: 99 }).execute();
    const written = await write();
    expect((await readdir(folder)).sort()).toEqual(['backup']);
    await load();
    expect(await contents(target.db)).toEqual(await contents(source.db));
    expect(await indexes(target.db)).toEqual(await indexes(source.db));
    expect(await pendingMigrations(target.db)).toEqual([]);
    expect(written.tables.map(({ name, rows }) => [name, rows])).toEqual(
      expect.arrayContaining([
        ['messages', AWKWARD.length + 1],
        ['bots', 1],
        ['deletions', 1],
      ]),
    );
  });

  test('is of one moment, whatever is written meanwhile', async () => {
    const botId = await storedBot(source.db);
    let done = false;
    let id = 1;
    const writing = (async () => {
      // Each batch is one transaction: its messages and its chat's count come together or not at all.
      for (; !done; id += 5) await storeMessages(source.db, botId, messages(['a', 'b', 'c', 'd', 'e'], id));
    })();
    while (id < 100) await new Promise((resolve) => setTimeout(resolve, 5));
    const written = await write();
    done = true;
    await writing;
    await load();
    const { rows } = await sql<{ stored: number; counted: number }>`
      select (select count(*) from messages) as stored, (select message_count from chats) as counted`.execute(
      target.db,
    );
    expect(rows[0]?.stored).toBe(rows[0]?.counted);
    expect(rows[0]?.stored).toBe(written.tables.find(({ name }) => name === 'messages')?.rows);
    expect(rows[0]?.stored).toBeLessThan(id - 1);
  });

  test('never gives an id out again, also none that was given out after it was made', async () => {
    await storedBot(source.db);
    const gone = await storedBot(source.db);
    await source.db.deleteFrom('bots').where('id', '=', gone).execute();
    await write();
    const later = await storedBot(source.db);
    await load();
    expect(await storedBot(target.db)).toBeGreaterThan(later);
    const { rows } = await sql<{
      revision: number;
    }>`select min(revision) as revision from bots where revision > 1`.execute(target.db);
    expect(rows[0]?.revision).toBeGreaterThan(Date.now() - 3_600_000);
  });

  test('is noted in its database, and not in one that is restored from it', async () => {
    expect(await readDatabaseState(source.db)).toMatchObject({ lastBackupBytes: 0 });
    const takenAt = (await write()).createdAt;
    await recordBackup(source.url, { takenAt, bytes: 12_345 });
    const noted = { lastBackupAtMs: Date.parse(takenAt), lastBackupBytes: 12_345 };
    expect(await readDatabaseState(source.db)).toMatchObject(noted);
    await load();
    const restored = await readDatabaseState(target.db);
    expect(restored.lastBackupBytes).toBe(0);
    expect(restored.lastBackupAtMs).toBeGreaterThan(noted.lastBackupAtMs);
  });

  test('is not begun where something lies already, and leaves nothing half written', async () => {
    await write();
    await expect(write()).rejects.toThrow('exists already');
    const stopped = writeBackup({ url: source.url, target: join(folder, 'other'), signal: AbortSignal.abort() });
    await expect(stopped).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['backup']);
  });

  test('is not made of a database with tables that this release does not know', async () => {
    await sql`create table later (id bigint)`.execute(source.db);
    await expect(write()).rejects.toThrow('it has later, which this release does not know');
  });
});

describe('a restore', () => {
  test('refuses a database that is in use, and touches nothing there', async () => {
    await write();
    await load();
    await storedBot(target.db);
    const known = await contents(target.db);
    await expect(load()).rejects.toThrow('The database is in use (bots has rows)');
    expect(await contents(target.db)).toEqual(known);
  });

  test('refuses a database with tables of somebody else', async () => {
    await write();
    await sql`create table theirs (id bigint)`.execute(target.db);
    await expect(load()).rejects.toThrow('another schema than the backup (theirs)');
  });

  test('refuses the backup of a newer release', async () => {
    await write();
    const last = Object.keys(migrations).at(-1)!;
    await rewriteManifest((text) => text.replace(`"${last}"`, `"${last}",\n    "29990101T000000-later"`));
    await expect(load()).rejects.toThrow('of a newer release (this one does not know 29990101T000000-later)');
    await rewriteManifest((text) => text.replace('"format": 1', '"format": 2'));
    await expect(load()).rejects.toThrow('a newer release wrote it, in another format');
  });

  test('refuses a backup of which a file is damaged, cut short or gone, before it touches the database', async () => {
    await write();
    await appendFile(join(backup, 'bots.copy.gz'), 'x');
    await expect(load()).rejects.toThrow('bots.copy.gz was changed after the backup');
    await rm(join(backup, 'bots.copy.gz'));
    await expect(load()).rejects.toThrow('bots.copy.gz is missing');
    await rm(join(backup, CHECKSUM_FILE));
    await expect(load()).rejects.toThrow('it has no SHA256SUMS');
    await expect(sql`select from bots`.execute(target.db)).rejects.toThrow('does not exist');
  });

  test('that fails leaves nothing, and can be begun again', async () => {
    await storedBot(source.db);
    await write();
    await rewriteManifest((text) => text.replace(/("name": "bots",[^}]*"rows": )1/, '$12'));
    await expect(load()).rejects.toThrow('bots has 1 rows where the backup says 2');
    await rewriteManifest((text) => text.replace(/("name": "bots",[^}]*"rows": )2/, '$11'));
    await load();
    expect(await contents(target.db)).toEqual(await contents(source.db));
  });
});
