import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { type StoredMessage, storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { deletionStore } from '../../fleet/bots/deletion-store.ts';
import { OPERATOR } from '../../people/audit/actor.ts';
import { chatStore } from '../chats/chat-store.ts';
import { deleteChat } from '../chats/delete-chat.ts';
import { markChatRead } from '../chats/mark-chat-read.ts';
import { writeHistory } from '../history/write-history.ts';
import { exportChat } from '../messages/export-chat.ts';
import { messageStore } from '../messages/message-store.ts';
import { searchMessages } from '../messages/search-messages.ts';
import { removeDeleted } from './remove-deleted.ts';
import { removeExpired } from './remove-expired.ts';

const CHAT = -100;
const NOW_MS = 1_800_000_000_000;
const NOW_S = NOW_MS / 1000;
const DAY_S = 86_400;
const MINUTE_MS = 60_000;

let database: TestDatabase;
let bot_id: number;

beforeAll(async () => {
  database = await testDatabase();
});

afterAll(async () => {
  await database.drop();
});

beforeEach(async () => {
  bot_id = await storedBot(database.db);
});

const later = { nowMs: () => Date.now() + 2 * MINUTE_MS };
const steps = (stepRows = 100) => ({ db: database.db, signal: new AbortController().signal, stepRows });
type Stored = Omit<StoredMessage, 'chat_id'>;
const messages = (count: number, fields: Partial<Stored> = {}): Stored[] =>
  Array.from({ length: count }, (_, at) => ({ id: at + 1, date: NOW_S - count + at, text: `word ${at}`, ...fields }));
const store = (chatId: number, rows: Stored[]) =>
  storeMessages(
    database.db,
    bot_id,
    rows.map((row) => ({ ...row, chat_id: chatId })),
  );

async function storeMany(chatId: number, count: number): Promise<void> {
  const all = messages(count);
  for (let at = 0; at < all.length; at += 2000) await store(chatId, all.slice(at, at + 2000));
}

const deleteTracked = (chatId: number, of = bot_id) =>
  deleteChat({ db: database.db, clock: systemClock }, OPERATOR, of, chatId);

async function countRows(
  table: 'messages' | 'chats' | 'chat_reads' | 'chat_users' | 'audit_log' | 'dead_letters',
  of = bot_id,
) {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where bot_id = ${of}`.execute(database.db);
  return rows[0]?.count;
}

async function deletions() {
  return database.db.selectFrom('deletions').selectAll().where('bot_id', '=', bot_id).execute();
}

/** The results of every reader for a chat. */
async function shown(chat_id: number) {
  const chat = { bot_id, chat_id };
  const page = { limit: 50, offset: 0, before: null };
  const listed = await messageStore(database.db).list(chat, { ...page, include_deleted: true });
  const found = await searchMessages(database, { scope: { botId: bot_id, chatIds: [chat_id] }, ...page, q: 'word' });
  let exported = 0;
  for await (const _ of exportChat(database.db, chat)) exported += 1;
  return {
    listed: listed.length,
    counted: await messageStore(database.db).count(chat, { include_deleted: false }),
    found: found.messages.length,
    exported,
    chat: (await chatStore(database.db).find({ bot_id, chat_id, business_connection_id: '' }))?.message_count ?? null,
  };
}

const NOTHING = { listed: 0, counted: 0, found: 0, exported: 0, chat: null };

async function removeBotRow(id: number): Promise<void> {
  await database.db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('bots').where('id', '=', id).execute();
    await deletionStore(transaction).addBot(id);
  });
}

describe('a deleted bot', () => {
  test('loses all its rows, in steps, and nobody else loses any', async () => {
    const other = bot_id;
    await store(CHAT, messages(250));
    bot_id = await storedBot(database.db);
    await store(CHAT, messages(350));
    await store(CHAT - 1, messages(20, { business_connection_id: 'bc' }));
    await database.db
      .insertInto('chat_users')
      .values(Array.from({ length: 150 }, (_, at) => ({ bot_id, chat_id: CHAT, user_id: at })))
      .execute();
    await database.db
      .insertInto('audit_log')
      .values({ bot_id, chat_id: CHAT, action: 'ban', actor_kind: 'bot', actor_id: bot_id, date: NOW_S })
      .execute();
    const { id: accountId } = await insertAccount(database.db, { username: 'reader' });
    await markChatRead(database.db, accountId, {
      bot_id,
      chat_id: CHAT,
      business_connection_id: '',
      message_id: 1,
    });
    await removeBotRow(bot_id);
    expect(await removeDeleted({ ...steps(), clock: later })).toBe('done');
    for (const table of ['messages', 'chats', 'chat_reads', 'chat_users', 'audit_log', 'dead_letters'] as const) {
      expect(await countRows(table)).toBe(0);
    }
    expect(await deletions()).toEqual([]);
    expect(await countRows('messages', other)).toBe(250);
  });

  test('stays in the audit log with what people did and what changed its settings', async () => {
    const entry = { bot_id, actor_id: 1, date: NOW_S } as const;
    const pin = { ...entry, action: 'pin', actor_kind: 'bot', chat_id: CHAT } as const;
    await database.db
      .insertInto('audit_log')
      .values([
        ...Array.from({ length: 150 }, () => pin),
        { ...entry, action: 'ban', actor_kind: 'account', chat_id: CHAT },
        { ...entry, action: 'bot_update', actor_kind: 'bot' },
        { ...entry, action: 'bot_delete', actor_kind: 'account' },
      ])
      .execute();
    await removeBotRow(bot_id);
    expect(await removeDeleted({ ...steps(), clock: later })).toBe('done');
    const left = database.db.selectFrom('audit_log').select('action').where('bot_id', '=', bot_id).orderBy('id');
    expect((await left.execute()).map(({ action }) => action)).toEqual(['ban', 'bot_update', 'bot_delete']);
  });

  test('leaves work that another process goes on with when one is interrupted', async () => {
    await store(CHAT, messages(500));
    await removeBotRow(bot_id);
    const interrupted = new AbortController();
    const running = removeDeleted({ ...steps(50), clock: later, signal: interrupted.signal });
    while ((await countRows('messages')) === 500) await new Promise((resolve) => setImmediate(resolve));
    interrupted.abort();
    expect(await running).toBe('aborted');
    expect(await countRows('messages')).toBeGreaterThan(0);
    expect(await removeDeleted({ ...steps(), clock: later })).toBe('done');
    expect(await countRows('messages')).toBe(0);
  });

  test('is looked at again after a minute, for what was being written when it went', async () => {
    await store(CHAT, messages(10));
    await removeBotRow(bot_id);
    expect(await removeDeleted({ ...steps(), clock: { nowMs: () => Date.now() } })).toBe('done');
    expect(await countRows('messages')).toBe(0);
    expect(await deletions()).toHaveLength(1);
    await store(CHAT, messages(10));
    expect(await removeDeleted({ ...steps(), clock: later })).toBe('done');
    expect([await countRows('messages'), await deletions()]).toEqual([0, []]);
  });

  test('can be registered again at once, with nothing of what it had', async () => {
    await store(CHAT, messages(20));
    const bot = await database.db.selectFrom('bots').selectAll().where('id', '=', bot_id).executeTakeFirstOrThrow();
    await removeBotRow(bot_id);
    const { id: _, ...same } = {
      ...{ ...bot, registration_id: 'another' },
      ...{ cursor_changes: '[]', named_kinds: '[]', labels: '[]' },
    };
    const again = await database.db.insertInto('bots').values(same).returning('id').executeTakeFirstOrThrow();
    expect(again.id).toBeGreaterThan(bot_id);
    await storeMessages(database.db, again.id, [{ chat_id: CHAT, id: 1, date: NOW_S, text: 'word' }]);
    await removeDeleted({ ...steps(), clock: later });
    bot_id = again.id;
    expect(await shown(CHAT)).toEqual({ listed: 1, counted: 1, found: 1, exported: 1, chat: 1 });
  });

  test('is waited for by nobody: history of it is dropped, and its id is never given again', async () => {
    const stored = await database.db.selectFrom('bots').select('registration_id').where('id', '=', bot_id).execute();
    await removeBotRow(bot_id);
    const message = { message_id: 1, date: NOW_S, chat: { id: 5, type: 'private' }, text: 'late' };
    const raw = JSON.stringify({ update_id: 1, message });
    const common = {
      key: `${bot_id}:late`,
      botId: bot_id,
      registrationId: stored[0]?.registration_id ?? '',
      atMs: NOW_MS,
    };
    await writeHistory({ db: database.db, log: createLogger({ name: 'test', level: 'silent' }) }, [
      { ...common, type: 'update', updateId: 1, raw },
      { ...common, key: `${bot_id}:broken`, type: 'update', updateId: 2, raw: '{}' },
    ]);
    expect([await countRows('messages'), await countRows('dead_letters')]).toEqual([0, 0]);
    expect(await storedBot(database.db)).toBeGreaterThan(bot_id);
  });
});

describe('a deleted chat', () => {
  test('is gone for every reader at once, with its people and tags, and other chats stay', async () => {
    await store(CHAT, messages(100));
    await store(CHAT - 1, messages(7));
    await database.db.insertInto('chat_users').values({ bot_id, chat_id: CHAT, user_id: 1 }).execute();
    const tag = { bot_id, chat_id: CHAT, user_id: 1, tag: 'vip', color: '#FF0000' };
    await database.db.insertInto('tags').values(tag).execute();
    await deleteTracked(CHAT);
    expect(await shown(CHAT)).toEqual(NOTHING);
    expect(await countRows('chat_users')).toBe(0);
    expect(await database.db.selectFrom('tags').selectAll().where('bot_id', '=', bot_id).execute()).toEqual([]);
    expect(await deletions()).toEqual([]);
    expect(await shown(CHAT - 1)).toMatchObject({ listed: 7, chat: 7 });
  });

  test('is gone at once however large it is, begins anew with the next message, and is emptied in steps', async () => {
    await storeMany(CHAT, 6000);
    await deleteTracked(CHAT);
    expect(await shown(CHAT)).toEqual(NOTHING);
    expect(await countRows('messages')).toBeGreaterThan(5000);
    // One message of the same second as the newest deleted one, one newer, and one that was in flight.
    await store(CHAT, [
      { id: 9001, date: NOW_S - 1, text: 'word' },
      { id: 9002, date: NOW_S, text: 'word' },
      { id: 9003, date: NOW_S - 3000, text: 'word' },
    ]);
    expect(await shown(CHAT)).toMatchObject({ listed: 2, found: 2, exported: 2 });
    expect(await removeDeleted({ ...steps(1000), clock: later })).toBe('done');
    expect(await shown(CHAT)).toEqual({ listed: 2, counted: 2, found: 2, exported: 2, chat: 2 });
    expect([await countRows('messages'), await deletions()]).toEqual([2, []]);
  }, 30_000);

  test('is not found twice, nor of another bot', async () => {
    await store(CHAT, messages(1));
    await expect(deleteTracked(CHAT - 1)).rejects.toMatchObject({ code: 'not_found' });
    await expect(deleteTracked(CHAT, 999_999)).rejects.toMatchObject({ code: 'not_found' });
    await deleteTracked(CHAT);
    await expect(deleteTracked(CHAT)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('what is older than it is to be kept', () => {
  const clock = { nowMs: () => NOW_MS };

  test('is removed, from every chat, and the counts stay right', async () => {
    const old = messages(330, { date: NOW_S - 31 * DAY_S });
    const young = messages(40, { date: NOW_S - 29 * DAY_S }).map((row) => ({ ...row, id: row.id + 1000 }));
    await store(CHAT, [...old, ...young]);
    await store(CHAT - 1, young);
    await store(CHAT - 2, old);
    await sql`
      update messages set deleted_at = now() where bot_id = ${bot_id} and chat_id = ${CHAT} and id <= 30`.execute(
      database.db,
    );
    await sql`
      update chats set message_count = message_count - 30 where bot_id = ${bot_id} and id = ${CHAT}`.execute(
      database.db,
    );
    expect(await removeExpired({ ...steps(), clock }, { messages: 30, audit: 0 })).toBe('done');
    const counts = [CHAT, CHAT - 1, CHAT - 2].map(async (chatId) => {
      const { chat, listed } = await shown(chatId);
      return [chat, listed];
    });
    expect(await Promise.all(counts)).toEqual([
      [40, 40],
      [40, 40],
      [0, 0],
    ]);
  });

  test('is another period for the audit log', async () => {
    const entry = { bot_id, chat_id: CHAT, action: 'ban', actor_kind: 'bot', actor_id: bot_id } as const;
    const entries = Array.from({ length: 250 }, (_, at) => ({ ...entry, date: NOW_S - at * DAY_S }));
    await database.db.insertInto('audit_log').values(entries).execute();
    await store(CHAT, messages(5, { date: NOW_S - 900 * DAY_S }));
    expect(await removeExpired({ ...steps(), clock }, { messages: 0, audit: 90 })).toBe('done');
    expect([await countRows('audit_log'), await countRows('messages')]).toEqual([91, 5]);
  });

  test('is kept for ever by default', async () => {
    await store(CHAT, messages(5, { date: 1 }));
    expect(await removeExpired({ ...steps(), clock }, { messages: 0, audit: 0 })).toBe('done');
    expect(await countRows('messages')).toBe(5);
  });

  test('is left to another process that is removing already', async () => {
    await store(CHAT, messages(5, { date: 1 }));
    await database.db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(7362514901)`.execute(transaction);
      expect(await removeExpired({ ...steps(), clock }, { messages: 30, audit: 0 })).toBe('elsewhere');
    });
    expect(await countRows('messages')).toBe(5);
    expect(await removeExpired({ ...steps(), clock }, { messages: 30, audit: 0 })).toBe('done');
    expect(await countRows('messages')).toBe(0);
  });
});

test('dead letters, events and the outbox are each kept for as long as their setting says', async () => {
  const at = (days: number) => new Date(NOW_MS - days * DAY_S * 1000);
  for (const age of [60, 40, 20, 1]) {
    await sql`
      insert into dead_letters (bot_id, reader, update_id, payload, reason, reason_code, attempts, created_at)
      values (${bot_id}, 'push', ${age}, '{}', '', 'gave_up', 1, ${at(age)})`.execute(database.db);
    await sql`insert into events (kind, bot_id, text, at) values ('bot.added', ${bot_id}, ${`${age}`}, ${at(age)})`.execute(
      database.db,
    );
    await sql`
      insert into outbox (bot_id, chat_id, method, params, state, settled_at)
      values (${bot_id}, ${age}, 'sendMessage', '{}', 'sent', ${at(age)})`.execute(database.db);
  }
  const kept = async () => {
    const { rows } = await sql<{ letters: number; events: number; outbox: number }>`
      select (select count(*) from dead_letters where bot_id = ${bot_id}) as letters,
        (select count(*) from events where bot_id = ${bot_id}) as events,
        (select count(*) from outbox where bot_id = ${bot_id}) as outbox`.execute(database.db);
    return rows[0];
  };
  const deps = { ...steps(1), clock: { nowMs: () => NOW_MS } };
  expect(await removeExpired(deps, {})).toBe('done');
  expect(await kept()).toEqual({ letters: 4, events: 4, outbox: 4 });
  expect(await removeExpired(deps, { deadLetters: 50, events: 30, outbox: 10 })).toBe('done');
  expect(await kept()).toEqual({ letters: 3, events: 2, outbox: 1 });
});

test('the journal of the last day is kept, and of each reader that there is the newest nine pages', async () => {
  await database.db.deleteFrom('journal_pages').execute();
  const programId = Number(
    (
      await sql<{ id: number }>`
        insert into programs (bot_id, name, mode, kinds, filter, enabled) values (${bot_id}, 'p', 'push', '[]', '{}', true)
        returning id`.execute(database.db)
    ).rows[0]!.id,
  );
  const HOUR_MS = 3_600_000;
  const pages = (reader: string, agesHours: number[]) =>
    agesHours.map((hours, at) => {
      const newest = new Date(NOW_MS - hours * HOUR_MS);
      const updates = { first_update_id: at, last_update_id: at, failed: 0, lines: 'x' };
      return {
        key: `${reader} ${hours} ${at}`,
        bot_id,
        reader,
        newest_at: newest,
        oldest_at: newest,
        ...updates,
      };
    });
  const old = Array.from({ length: 12 }, (_, at) => 30 + at);
  await database.db
    .insertInto('journal_pages')
    .values([
      ...pages('push', [1, 23, ...old]),
      ...pages(`program:${programId}`, old),
      ...pages(`program:${programId + 1}`, [2, ...old]),
    ])
    .execute();
  const deps = { ...steps(3), clock: { nowMs: () => NOW_MS } };
  expect(await removeExpired(deps, { messages: 0, audit: 0 })).toBe('done');
  const kept = await database.db
    .selectFrom('journal_pages')
    .select(['reader', 'key'])
    .orderBy('newest_at', 'desc')
    .execute();
  const agesOf = (reader: string) =>
    kept.filter((one) => one.reader === reader).map(({ key }) => Number(key.split(' ')[1]));
  expect(agesOf('push')).toEqual([1, 23, ...old.slice(0, 7)]);
  expect(agesOf(`program:${programId}`)).toEqual(old.slice(0, 9));
  expect(agesOf(`program:${programId + 1}`)).toEqual([2]);
});

test('a list of chats goes in steps once it was deleted, or not used for months, unless a broadcast waits for it', async () => {
  const { db } = database;
  const lists = chatLists(['deleted', 'unused', 'awaited', 'used']);
  const [deleted, unused, awaited, used] = await lists;
  await db.updateTable('chat_lists').set({ removed_at: new Date() }).where('id', '=', deleted!).execute();
  const usedAt = new Date(NOW_MS - 91 * DAY_S * 1000);
  await db.updateTable('chat_lists').set({ used_at: usedAt }).where('id', 'in', [unused!, awaited!]).execute();
  await db
    .updateTable('chat_lists')
    .set({ used_at: new Date(NOW_MS) })
    .where('id', '=', used!)
    .execute();
  await sql`insert into broadcasts (bot_id, name, audience, method, params, state, send_at)
    values (${bot_id}, 'News', ${JSON.stringify({ list_id: awaited })}, 'sendMessage', '{}', 'scheduled', now())`.execute(
    db,
  );
  await removeExpired({ ...steps(), clock: { nowMs: () => NOW_MS } }, {});
  const left = await db.selectFrom('chat_lists').select(['name', 'size']).orderBy('id').execute();
  expect(left).toEqual([
    { name: 'awaited', size: 250 },
    { name: 'used', size: 250 },
  ]);
  const { rows } = await sql<{ list_id: number }>`select distinct list_id from chat_list_entries order by 1`.execute(
    db,
  );
  expect(rows.map((row) => row.list_id)).toEqual([awaited, used]);
});

async function chatLists(names: string[]): Promise<number[]> {
  const made = await database.db
    .insertInto('chat_lists')
    .values(names.map((name) => ({ name, created_by: 'grace', account_id: null })))
    .returning('id')
    .execute();
  const ids = made.map(({ id }) => id);
  await sql`insert into chat_list_entries select list, chat from unnest(${ids}::bigint[]) list, generate_series(1, 250) chat`.execute(
    database.db,
  );
  return ids;
}
