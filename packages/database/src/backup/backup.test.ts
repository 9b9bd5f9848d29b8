import { createHash } from 'node:crypto';
import { appendFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { administer, databaseUrl, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { type StoredMessage, storeMessages } from '@flotilla/testing/stored-messages.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { connectDatabase, type Database } from '../connect.ts';
import { migrateToLatest } from '../migrate.ts';
import { migrations } from '../migrations.ts';
import { makeMonths } from '../month-partitions.ts';
import { pendingMigrations } from '../pending-migrations.ts';
import { requireSchema } from '../require-schema.ts';
import { readDatabaseState } from '../server-state.ts';
import { BACKED_UP_TABLES } from './backed-up-tables.ts';
import { folderSource, folderTarget } from './backup-folder.ts';
import { CHECKSUM_FILE, MANIFEST_FILE, rowsOf } from './backup-manifest.ts';
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
const write = async (rowsPerFile = 1_000) =>
  writeBackup({ url: source.url, target: await folderTarget(backup), signal, rowsPerFile });
const load = (more: { signal?: AbortSignal; jobs?: number; report?: (line: string) => void } = {}) =>
  loadBackup({ url: target.url, source: folderSource(backup), signal, ...more });

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
  const changed = change(await readFile(join(backup, MANIFEST_FILE), 'utf8'));
  await writeFile(join(backup, MANIFEST_FILE), changed);
  await keepChecksums(MANIFEST_FILE, changed);
}

/** Lets SHA256SUMS say that a file has this content. */
async function keepChecksums(file: string, content: string | Buffer): Promise<void> {
  const sums = await readFile(join(backup, CHECKSUM_FILE), 'utf8');
  const checksum = createHash('sha256').update(content).digest('hex');
  const lines = sums.split('\n').map((line) => (line.endsWith(`  ${file}`) ? `${checksum}  ${file}` : line));
  await writeFile(join(backup, CHECKSUM_FILE), lines.join('\n'));
}

/** A way to a server that opens when so many connections wait for it. */
async function allAtOnce(many: number, port: number): Promise<{ port: number; stop(): void }> {
  const waiting: Socket[] = [];
  const forward = (client: Socket) => {
    const server = connect(port, '127.0.0.1');
    client.pipe(server).pipe(client);
    client.on('close', () => server.destroy()).on('error', () => {});
    server.on('close', () => client.destroy()).on('error', () => {});
  };
  const relay = createServer((client) => {
    waiting.push(client);
    if (waiting.length === many) waiting.forEach(forward);
    if (waiting.length > many) forward(client);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    relay.close();
    for (const client of waiting) client.destroy();
  };
  return { port: (relay.address() as AddressInfo).port, stop };
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
    const factor = { account_id: account.id, totp_sealed: '', confirmed_at: new Date() };
    await source.db.insertInto('second_factors').values(factor).execute();
    const credential = { credential_id: 'credential', public_key: Buffer.from([0, 255, 10]), counter: 7 };
    await source.db
      .insertInto('passkeys')
      .values({ account_id: account.id, name: 'Laptop', ...credential })
      .execute();
    await source.db.insertInto('deletions').values({ bot_id: 99 }).execute();
    const written = await write();
    expect((await readdir(folder)).sort()).toEqual(['backup']);
    await load();
    expect(await contents(target.db)).toEqual(await contents(source.db));
    expect(await indexes(target.db)).toEqual(await indexes(source.db));
    expect(await pendingMigrations(target.db)).toEqual([]);
    expect(written.tables.map((table) => [table.name, rowsOf(table)])).toEqual(
      expect.arrayContaining([
        ['messages', AWKWARD.length + 1],
        ['bots', 1],
        ['second_factors', 1],
        ['passkeys', 1],
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
    expect(rows[0]?.stored).toBe(rowsOf(written.tables.find(({ name }) => name === 'messages')!));
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

  test('sends nothing again that waited when it was made', async () => {
    const botId = await storedBot(source.db);
    const content = {
      bot_id: botId,
      method: 'sendMessage',
      params: {},
      name: 'News',
      audience: { exclude_blocked: true },
    };
    const { name: _n, audience: _a, ...entry } = content;
    const soon = new Date(Date.now() + 3_600_000);
    const running = { ...content, state: 'running' as const, total: 2 };
    const { id } = await source.db.insertInto('broadcasts').values(running).returning('id').executeTakeFirstOrThrow();
    await source.db
      .insertInto('broadcasts')
      .values({ ...content, state: 'scheduled', send_at: soon })
      .execute();
    await source.db
      .insertInto('outbox')
      .values([
        { ...entry, chat_id: 1, state: 'queued' },
        { ...entry, chat_id: 2, state: 'sending' },
        { ...entry, chat_id: 3, state: 'scheduled', send_at: new Date(0) },
        { ...entry, chat_id: 4, state: 'scheduled', send_at: soon },
        { ...entry, chat_id: 5, state: 'sent', settled_at: new Date() },
        { ...entry, chat_id: 6, state: 'queued', broadcast_id: id },
        { ...entry, chat_id: 7, state: 'scheduled', broadcast_id: id },
      ])
      .execute();
    await write();
    await load();
    const states = await target.db.selectFrom('outbox').select('state').orderBy('chat_id').execute();
    expect(states.map(({ state }) => state)).toEqual([
      ...['in_doubt', 'in_doubt', 'in_doubt', 'scheduled', 'sent', 'in_doubt', 'scheduled'],
    ]);
    const broadcasts = target.db.selectFrom('broadcasts').select(['state', 'in_doubt']).orderBy('id');
    expect(await broadcasts.execute()).toEqual([
      { state: 'paused', in_doubt: 1 },
      { state: 'scheduled', in_doubt: 0 },
    ]);
  });

  test('is noted in its database, and not in one that is restored from it', async () => {
    expect(await readDatabaseState(source.db)).toMatchObject({ lastBackupBytes: 0 });
    const takenAt = (await write()).createdAt;
    await recordBackup({ url: source.url }, { takenAt, bytes: 12_345 });
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
    const stopped = writeBackup({
      url: source.url,
      target: await folderTarget(join(folder, 'other')),
      signal: AbortSignal.abort(),
    });
    await expect(stopped).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['backup']);
  });

  test('that fails says why, and what of it could not be removed', async () => {
    await storedBot(source.db);
    const lines: string[] = [];
    const target = {
      open: () => {
        throw new Error('the disk is full');
      },
      complete: async () => {},
      abandon: () => Promise.reject(new Error('the disk is gone')),
    };
    const report = (line: string) => lines.push(line);
    await expect(writeBackup({ url: source.url, target, signal, report })).rejects.toThrow('the disk is full');
    expect(lines).toContainEqual(expect.stringContaining('could not be removed: Error: the disk is gone'));
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
    await storedBot(source.db);
    await write();
    await appendFile(join(backup, 'bots.copy.gz'), 'x');
    await expect(load()).rejects.toThrow('bots.copy.gz was changed after the backup');
    await rm(join(backup, 'bots.copy.gz'));
    await expect(load()).rejects.toThrow('bots.copy.gz is missing');
    await rm(join(backup, CHECKSUM_FILE));
    await expect(load()).rejects.toThrow('it has no SHA256SUMS');
    await expect(sql`select from bots`.execute(target.db)).rejects.toThrow('does not exist');
  });

  test('brings partitions back, over several connections, and files of many tables', async () => {
    const botId = await storedBot(source.db);
    const months = [1_700_000_000, 1_703_000_000, 1_706_000_000];
    await makeMonths(source.db, 'messages', months[0]!, months[2]!);
    for (const [at, date] of months.entries()) {
      const texts = Array.from({ length: 30 }, (_, more) => ({ chat_id: -7, id: 100 * at + more, date, text: 'word' }));
      await storeMessages(source.db, botId, texts);
    }
    const written = await write(7);
    expect(written.tables.find(({ name }) => name === 'messages')?.files).toHaveLength(3 * 5);
    await load({ jobs: 3 });
    expect(await contents(target.db)).toEqual(await contents(source.db));
    expect(await indexes(target.db)).toEqual(await indexes(source.db));
  });

  test('opens its connections at once', async () => {
    await write();
    const relay = await allAtOnce(3, Number(new URL(target.url).port));
    const url = Object.assign(new URL(target.url), { port: relay.port }).href;
    await loadBackup({ url, source: folderSource(backup), signal, jobs: 3 }).finally(relay.stop);
    expect(await pendingMigrations(target.db)).toEqual([]);
  }, 30_000);

  test('that is interrupted is gone on with, and nothing starts on the database before it is done', async () => {
    const botId = await storedBot(source.db);
    await storeMessages(source.db, botId, messages(Array.from({ length: 60 }, (_, at) => `word ${at}`)));
    await write(10);
    const [first, ...others] = (await readdir(backup)).filter((file) => file.startsWith('messages_'));
    await rm(join(folder, 'kept'), { force: true });
    await rename(join(backup, first!), join(folder, 'kept'));
    await writeFile(join(backup, first!), '');
    await keepChecksums(first!, '');
    await expect(load()).rejects.toThrow();
    await expect(requireSchema(target.db)).rejects.toThrow('A restore into the database is not finished');
    await expect(migrateToLatest(target.db)).rejects.toThrow('A restore into the database is not finished');
    expect(await pendingMigrations(target.db)).not.toEqual([]);
    const content = await readFile(join(folder, 'kept'));
    await writeFile(join(backup, first!), content);
    await keepChecksums(first!, content);
    const lines: string[] = [];
    await load({ report: (line) => lines.push(line) });
    expect(lines[0]).toMatch(/^going on after [1-9]\d* steps/);
    expect(others).toHaveLength(5);
    expect(await contents(target.db)).toEqual(await contents(source.db));
    expect(await indexes(target.db)).toEqual(await indexes(source.db));
    await requireSchema(target.db);
    // The triggers count again.
    await storeMessages(target.db, botId, [{ chat_id: -7, id: 1000, date: 1_700_000_000, text: 'new' }]);
    const authors = target.db.selectFrom('chat_authors').select('message_count').where('bot_id', '=', botId);
    expect(await authors.execute()).toEqual([{ message_count: 61 }]);
  });

  test('goes on with the same backup only', async () => {
    await storedBot(source.db);
    await write();
    const fewer = (text: string) => text.replace(/("file": "bots.copy.gz",\s*"rows": )1/, '$12');
    await rewriteManifest(fewer);
    await expect(load()).rejects.toThrow('bots.copy.gz has 1 rows where the backup says 2');
    await rm(backup, { recursive: true });
    await write();
    await expect(load()).rejects.toThrow('was being restored into this database');
  });
});
