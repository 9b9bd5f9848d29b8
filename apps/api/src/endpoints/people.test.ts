import { readFile } from 'node:fs/promises';
import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { continueErasures } from '@flotilla/domain/records/personal-data/erase-person.ts';
import { erasureStore } from '@flotilla/domain/records/personal-data/erasure-store.ts';
import { PERSONAL_TABLES } from '@flotilla/domain/records/personal-data/personal-tables.ts';
import { botKeys, programKeys, SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { everythingInPostgres, everythingInRedis } from '@flotilla/testing/everything-stored.ts';
import { waitingForLocks, whileLocked } from '@flotilla/testing/locked-table.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { withoutReserve } from '@flotilla/testing/without-reserve.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

const [ZORA, BEN] = [7_077_001, 7_077_002];
const GROUP = -1_007_077_000_001;
const NAMES = { username: 'zora_the_person', first_name: 'Zorazora', last_name: 'Zimmermann' };
const OF_BEN = { user_id: BEN, username: 'ben_the_other', first_name: 'Benben' };
/** Nothing that is stored may contain any of them. */
const TRACES = [`\\b${ZORA}\\b`, NAMES.username, NAMES.first_name, NAMES.last_name, 'zorasecret'];

const api = testApi();
/** Stands in for workers, which accept updates and erase. */
let worker: Context;
let bot: BotResource;

beforeAll(async () => {
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
});
beforeEach(async () => {
  bot = await api.addBot({ long_poll_enabled: true });
  await worker.directory.refresh();
  await storeEverything();
});

afterEach(async () => {
  await erase();
  await work();
});

const db = () => api.database.db;
const erase = async (body: object = {}) => {
  const answer = await api.admin('POST', '/api/people/erase', { body: { user_id: ZORA, ...body } });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer.json as { erasure_id?: number; counts: Record<string, number>; remains: { where: string }[] };
};
const work = (options: Partial<Parameters<typeof continueErasures>[0]> = {}) =>
  continueErasures({ ...worker, signal: new AbortController().signal, lateAfterMs: 0, ...options });
const tracesIn = (text: string) => TRACES.filter((trace) => new RegExp(trace).test(text));

/** Data of two people in every place there is. */
async function storeEverything(): Promise<void> {
  const [bot_id, chat_id] = [bot.id, ZORA];
  const zora = { user_id: ZORA, ...NAMES };
  await storeMessages(db(), bot.id, [
    ...Array.from({ length: 25 }, (_, at) => ({
      chat_id: GROUP,
      id: at + 1,
      date: 1000 + at,
      text: 'zorasecret',
      ...zora,
    })),
    { chat_id: GROUP, id: 100, date: 2000, text: 'of Ben', ...OF_BEN },
    { chat_id: ZORA, id: 1, date: 1000, text: 'zorasecret', ...zora },
    { chat_id: ZORA, id: 2, date: 1001, text: 'zorasecret: an answer', outgoing: true, user_id: 1 },
    { chat_id: ZORA, id: 3, date: 1002, text: 'zorasecret', business_connection_id: 'bc1', ...zora },
    { chat_id: BEN, id: 1, date: 1000, text: 'of Ben', ...OF_BEN },
  ]);
  for (const user of [ZORA, BEN]) {
    const names = user === ZORA ? NAMES : { username: OF_BEN.username, first_name: OF_BEN.first_name, last_name: null };
    const rows = [{ chat_id: GROUP }, { chat_id: user }].map((row) => ({ ...row, bot_id, user_id: user, ...names }));
    await db()
      .insertInto('chat_users')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await db()
      .insertInto('tags')
      .values({ bot_id, chat_id: GROUP, user_id: user, username: names.username, tag: 'vip', color: '' })
      .execute();
    await insertLetter(
      user,
      `{"update_id":1,"message":{"chat":{"id":${GROUP}},"from":{"id":${user},"username":"${names.username}"},"text":"by ${names.username}","reply_to_message":{"from":{"id":${BEN}},"text":"of Ben"}}}`,
    );
  }
  await insertLetter(BEN, `{"update_id":2,"message":{"from":{"id":${ZORA}0}}}`);
  await db().updateTable('bots').set({ owner_user_id: ZORA }).where('id', '=', bot.id).execute();
  await db().insertInto('topics').values({ bot_id, chat_id, thread_id: 5, name: 'zorasecret' }).execute();
  await db()
    .insertInto('events')
    .values({ kind: 'chat.held', bot_id, chat_id, text: `Chat ${ZORA} was taken over` })
    .execute();
  await db()
    .insertInto('route_links')
    .values({
      ...{ target_bot_id: bot_id, target_chat_id: BEN, target_message_id: bot_id, source_bot_id: bot_id },
      ...{ source_chat_id: ZORA, source_message_id: 1, expires_at: new Date('2099-01-01') },
    })
    .execute();
  const question = {
    bot_id,
    text: 'zorasecret?',
    options: '["a"]' as never,
    nonce: 'n',
    expires_at: new Date('2099-01-01'),
  };
  const answered = {
    state: 'answered',
    chosen: 0,
    answered_by: ZORA,
    answered_by_name: NAMES.first_name,
    settled_at: new Date(),
  } as const;
  await db()
    .insertInto('questions')
    .values([
      { ...question, chat_id },
      { ...question, chat_id: GROUP, text: 'All?', ...answered },
      { ...question, chat_id: GROUP, text: 'Some?', allowed_user_ids: `[${ZORA}, ${BEN}]` as never },
    ])
    .execute();
  const {
    rows: [broadcast],
  } = await sql<{ id: number }>`
    insert into broadcasts (bot_id, name, audience, method, params, state, total, after_chat_id)
    values (${bot_id}, 'News', ${JSON.stringify({ chat_ids: [ZORA, BEN] })}::jsonb, 'sendMessage', '{}', 'paused', 2, 0) returning id`.execute(
    db(),
  );
  await sql`
    insert into outbox (bot_id, chat_id, method, params, state, send_at, settled_at, broadcast_id) values
      (${bot_id}, ${ZORA}, 'sendMessage', '{"text":"zorasecret"}', 'scheduled', now(), null, ${broadcast!.id}),
      (${bot_id}, ${BEN}, 'sendMessage', '{"text":"of Ben"}', 'scheduled', now(), null, ${broadcast!.id}),
      (${bot_id}, ${ZORA}, 'sendMessage', '{"text":"zorasecret"}', 'sent', null, now(), null)`.execute(db());
  await sql`
    insert into audit_log (bot_id, chat_id, action, actor_kind, actor_username, target_id, target_username, details, date) values
      (${bot_id}, ${ZORA}, 'send', 'account', 'admin', null, null, 'zorasecret', 1000),
      (${bot_id}, ${GROUP}, 'ban', 'account', 'admin', ${ZORA}, ${NAMES.username}, 'zorasecret', 1000),
      (${bot_id}, ${GROUP}, 'ban', 'account', 'admin', ${BEN}, 'ben_the_other', 'of Ben', 1000)`.execute(db());
  const line = (chat: number) => `1000 12 ${chat} 500 9 1 3 - -zorasecret`;
  await db()
    .insertInto('journal_pages')
    .values({
      ...{ key: `${bot_id}-1`, bot_id, reader: 'push', newest_at: new Date(), oldest_at: new Date() },
      ...{ first_update_id: 1, last_update_id: 2, failed: 1, lines: `${line(ZORA)}\n1000 13 ${BEN} 200 9 1 3 - +` },
    })
    .execute();
  await worker.redis.commands.lpush(botKeys(bot_id).attempts, line(ZORA), `1000 13 ${BEN} 200 9 1 3 - +`);
  await worker.redis.commands.lpush(botKeys(bot_id).decisions, JSON.stringify({ chat_id: ZORA, reason: 'zorasecret' }));
}

async function insertLetter(chat_id: number, payload: string): Promise<void> {
  const failed = {
    reader: 'push',
    update_id: 1,
    reason: 'it failed',
    reason_code: 'gave_up',
    attempts: 3,
    last_status: 500,
  };
  await db()
    .insertInto('dead_letters')
    .values({
      ...failed,
      bot_id: bot.id,
      chat_id: GROUP + chat_id,
      payload,
      first_failed_at: null,
      last_failed_at: null,
      destinations: null,
      response_excerpt: null,
    })
    .execute();
}

async function accept(updateId: number, { chat = { id: ZORA, type: 'private' }, date = 3000 } = {}): Promise<void> {
  const update = {
    update_id: updateId,
    message: { message_id: 9, date, chat, from: { id: ZORA, is_bot: false, ...NAMES }, text: 'zorasecret' },
  };
  const { updates } = sliceUpdates(`{"ok":true,"result":[${JSON.stringify(update)}]}`)!;
  expect(await acceptUpdates(withoutReserve(worker), worker.directory.byId(bot.id)!, updates)).toMatchObject({
    appended: 1,
  });
}

test('every table of the database says how data of a person is erased from it, or why there is none', async () => {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select c.relname as name, array_agg(a.attname::text) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not like 'kysely_%' group by 1 order by 1`.execute(db());
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(PERSONAL_TABLES).sort());
  const namesPeople = /(^|_)(user_ids?|chat_ids?|username|first_name|last_name|answered_by|title|payload)$/;
  const unlisted = rows.filter(({ name, columns }) => {
    return (
      'without' in PERSONAL_TABLES[name as keyof typeof PERSONAL_TABLES] &&
      columns.some((each) => namesPeople.test(each))
    );
  });
  // The removals themselves know what they remove.
  expect(unlisted.map(({ name }) => name).filter((name) => name !== 'deletions' && name !== 'erasures')).toEqual([]);
});

test('the handbook lists every table, and every key of a bot and of a program', async () => {
  const page = await readFile(new URL('../../../../docs/operations/personal-data.md', import.meta.url), 'utf8');
  const names = [PERSONAL_TABLES, botKeys(1), programKeys(1, 1)].flatMap(Object.keys);
  const prefixes = ['prefix', 'programPrefix'];
  expect(names.filter((name) => !page.includes(`\`${name}\``) && !prefixes.includes(name))).toEqual([]);
});

test('deleting a chat removes what waits for it, and ends its takeover', async () => {
  await takeOver();
  const deleted = await api.admin('POST', '/api/chats/delete', { body: { bot_id: bot.id, chat_id: ZORA } });
  expect({ status: deleted.status, text: deleted.text }).toMatchObject({ status: 200 });
  const left = await sql<{
    state: string;
  }>`select state from outbox where bot_id = ${bot.id} and chat_id = ${ZORA}`.execute(db());
  expect(left.rows).toEqual([{ state: 'sent' }]);
  const { rows } = await sql`select text from questions where bot_id = ${bot.id} order by id`.execute(db());
  expect(rows).toEqual([{ text: 'All?' }, { text: 'Some?' }]);
  expect(await worker.redis.commands.hgetall(botKeys(bot.id).holds)).toEqual({});
});

describe('erasing a person', () => {
  test('leaves nothing of them in Postgres and Redis, everything of others, and one entry of the audit log without a name', async () => {
    await takeOver();
    await api.admin('GET', '/api/people/export', { query: { user_id: ZORA } });
    const dry = await erase({ dry_run: true });
    expect(dry).toMatchObject({
      counts: {
        ...{ messages: 28, chat_users: 2, tags: 1, questions: 3, outbox: 2, broadcasts: 1, dead_letters: 1 },
        ...{ journal: 1, events: 2, links: 1, bots: 1 },
      },
    });
    expect(dry).not.toHaveProperty('erasure_id');
    expect(dry.remains.map(({ where }) => where)).toEqual(
      expect.arrayContaining(['backups', "the platform's own copy"]),
    );
    const { erasure_id: id } = await erase();
    await work();
    expect(tracesIn(await everythingInPostgres(db()))).toEqual([]);
    expect(tracesIn(await everythingInRedis(worker.redis.commands as never))).toEqual([]);
    const found = await api.admin('GET', '/api/messages/search', { query: { q: 'zorasecret' } });
    expect(found.json).toEqual([]);
    expect(Object.values((await erase({ dry_run: true })).counts).every((count) => count === 0)).toBe(true);
    await expectBenIsWhole();
    const entries = (await api.admin('GET', '/api/adminlog', { query: { action: 'person_erased' } }))
      .json as AuditEntryResource[];
    expect(entries[0]).toMatchObject({ actor_username: 'admin', details: `erased person ${id}` });
  });

  test('goes on after it was ended in the middle, and asking twice is asking once', async () => {
    const first = await erase();
    const ended = new AbortController();
    const steps = work({ stepRows: 3, signal: ended.signal });
    await waitUntil(async () => (await erase({ dry_run: true })).counts.messages! < 20);
    ended.abort();
    await steps;
    expect(await erase()).toMatchObject({ erasure_id: first.erasure_id });
    await work({ stepRows: 3 });
    expect(tracesIn(await everythingInPostgres(db()))).toEqual([]);
    await expectBenIsWhole();
  });

  test('waits for what is being sent and for what the history has not written, and removes it then', async () => {
    await sql`update outbox set state = 'sending', settled_at = null where chat_id = ${ZORA} and state = 'sent'`.execute(
      db(),
    );
    await accept(1);
    await erase();
    await work();
    expect(await erase({ dry_run: true })).toHaveProperty('erasure_id');
    await storeMessages(db(), bot.id, [
      { chat_id: ZORA, id: 9, date: 3000, text: 'zorasecret', user_id: ZORA, ...NAMES },
    ]);
    await worker.redis.commands.del(botKeys(bot.id).history, botKeys(bot.id).log, botKeys(bot.id).accepted);
    await work();
    expect(await erase({ dry_run: true })).toHaveProperty('erasure_id');
    await sql`update outbox set state = 'sent', settled_at = now() where state = 'sending'`.execute(db());
    await work();
    expect(await erase({ dry_run: true })).not.toHaveProperty('erasure_id');
    expect(tracesIn(await everythingInPostgres(db()))).toEqual([]);
  });

  test('waits for updates that no backend has taken yet, and removes the dead letters that become of them', async () => {
    const { commands } = worker.redis;
    bot = await api.addBot({ backend_url: 'http://127.0.0.1:9/hook' });
    await worker.directory.refresh();
    await accept(1);
    await commands.del(botKeys(bot.id).history, botKeys(bot.id).accepted);
    await erase();
    await work();
    await work();
    expect(await erase({ dry_run: true })).toHaveProperty('erasure_id');
    await insertLetter(ZORA, `{"update_id":1,"message":{"from":{"id":${ZORA}},"text":"zorasecret"}}`);
    const { log, lanes, lane, state } = botKeys(bot.id);
    await commands.del(log, lanes, lane(`${ZORA}`));
    await commands.hset(state, 'pushPending', 0);
    await work();
    expect(await erase({ dry_run: true })).not.toHaveProperty('erasure_id');
    expect(tracesIn(await everythingInPostgres(db()))).toEqual([]);
  });

  test('ends although two workers and what retention removes take turns', async () => {
    await erase();
    const tries = sql`select from pg_stat_activity where datname = current_database() and query like '%pg_try_advisory%'
      and pid <> pg_backend_pid()`;
    const workers = await db()
      .transaction()
      .execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(7362514901)`.execute(transaction);
        let ended = 0;
        const both = [1, 2].map(() => work({ stepRows: 3 }).finally(() => (ended += 1)));
        await waitUntil(async () => ended === 2 || (await tries.execute(db())).rows.length > 0);
        return { both };
      });
    await Promise.all(workers.both);
    expect(await erase({ dry_run: true })).not.toHaveProperty('erasure_id');
    expect(tracesIn(await everythingInPostgres(db()))).toEqual([]);
  });

  test('ends while each shard always has something newer that the history has not written', async () => {
    const { commands } = worker.redis;
    const histories = Array.from({ length: SHARDS }, (_, shard) => shardKeys(shard).history);
    const writeOn = () =>
      Promise.all(
        histories.map(async (history) => {
          const newest = await commands.xadd(history, '*', 't', 'newer');
          await commands.xtrim(history, 'MINID', newest!);
        }),
      );
    await eraseLongAgo();
    await writeOn();
    const writing = setInterval(writeOn, 100);
    await work({ lateAfterMs: 60_000 });
    clearInterval(writing);
    await writeOn();
    await commands.del(...histories);
    expect(await erase({ dry_run: true })).not.toHaveProperty('erasure_id');
  });

  test('is looked at late by one of several workers', async () => {
    await sql`update outbox set state = 'sending', settled_at = null where chat_id = ${ZORA} and state = 'sent'`.execute(
      db(),
    );
    await eraseLongAgo();
    const looks: object[] = [];
    const log = { info: (fields: object) => void looks.push(fields) };
    await Promise.all([1, 2, 3].map(() => work({ lateAfterMs: 60_000, log })));
    await sql`update outbox set state = 'sent', settled_at = now() where state = 'sending'`.execute(db());
    expect(looks).toMatchObject([{ waitsFor: 'the outbox' }]);
  });

  test('is begun by no other worker while a look takes longer than the pause between two', async () => {
    const pauseMs = 1_000;
    await erase();
    let looking: Promise<void> | undefined;
    await whileLocked(db(), 'messages', async () => {
      looking = work({ lateAfterMs: pauseMs });
      await waitFor(async () => (await waitingForLocks(db())) > 0);
      const { rows } = await sql<{ until: string }>`
        select (now() + make_interval(secs => ${(1.5 * pauseMs) / 1000}))::text as until`.execute(db());
      const isPast = sql<{ past: boolean }>`select clock_timestamp() > ${rows[0]!.until}::timestamptz as past`;
      await waitFor(async () => (await isPast.execute(db())).rows[0]?.past);
      expect(await erasureStore(db()).due(pauseMs)).toEqual([]);
    });
    await looking;
  });

  test('waits for what a taken over group holds back of them from before, not for what they write after', async () => {
    await takeOver(GROUP);
    await accept(1, { chat: { id: GROUP, type: 'supergroup' }, date: 3000 });
    await worker.redis.commands.del(botKeys(bot.id).history, botKeys(bot.id).accepted, botKeys(bot.id).log);
    await eraseLongAgo();
    await work();
    expect(await erase({ dry_run: true })).toHaveProperty('erasure_id');
    await worker.redis.commands.del(botKeys(bot.id).missed);
    await accept(2, { chat: { id: GROUP, type: 'supergroup' }, date: Math.floor(Date.now() / 1000) });
    await worker.redis.commands.del(botKeys(bot.id).history, botKeys(bot.id).accepted, botKeys(bot.id).log);
    await work();
    expect(await erase({ dry_run: true })).not.toHaveProperty('erasure_id');
    await worker.redis.commands.del(botKeys(bot.id).missed);
  });

  test('takes a minute, for what was on its way', async () => {
    await erase();
    await work({ lateAfterMs: 60_000 });
    expect(await erase({ dry_run: true })).toHaveProperty('erasure_id');
    await work();
  });

  async function eraseLongAgo(): Promise<void> {
    await erase();
    await sql`update erasures set created_at = now() - interval '2 minutes'`.execute(db());
  }

  async function expectBenIsWhole(): Promise<void> {
    const text = await everythingInPostgres(db());
    expect(text).toContain(`"chat_ids":[${BEN}]`);
    expect(text).toContain(`{"update_id":2,"message":{"from":{"id":${ZORA}0`.replaceAll('"', '\\"'));
    const of = await api.admin('GET', '/api/chats/show', { query: { bot_id: bot.id, chat_id: GROUP } });
    expect(of.json).toMatchObject({ message_count: 1 });
    const { rows } = await sql<{ queued: number; cancelled: number }>`
      select (select count(*) from outbox where bot_id = ${bot.id} and chat_id = ${BEN}) as queued,
        (select cancelled from broadcasts where bot_id = ${bot.id}) as cancelled`.execute(db());
    expect(rows).toEqual([{ queued: 1, cancelled: 1 }]);
    expect(await worker.redis.commands.lrange(botKeys(bot.id).attempts, 0, -1)).toEqual([
      `1000 13 ${BEN} 200 9 1 3 - +`,
    ]);
  }
});

test('what is stored about a person is exported, row by row, with what is not', async () => {
  const exported = await api.admin('GET', '/api/people/export', { query: { user_id: ZORA } });
  const dry = await erase({ dry_run: true });
  const lines = exported.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.pop()).toEqual({ remains: dry.remains });
  for (const [place, count] of Object.entries(dry.counts)) {
    expect({ place, rows: lines.filter((line) => line.place === place).length }).toEqual({ place, rows: count });
  }
  expect(lines.find(({ table }) => table === 'messages').row).toMatchObject({ text: 'zorasecret', user_id: ZORA });
  expect(lines.find(({ table }) => table === 'dead_letters').row.payload).toContain(`by ${NAMES.username}`);
  expect(exported.text).not.toMatch(new RegExp(`of Ben|${BEN}`));
  const log = await api.admin('GET', '/api/adminlog', { query: { action: 'person_export' } });
  expect((log.json as AuditEntryResource[])[0]).toMatchObject({ target_id: ZORA });
});

async function takeOver(chatId = ZORA): Promise<void> {
  const taken = await api.admin('POST', '/api/chats/takeover', {
    body: { bot_id: bot.id, chat_id: chatId, business_connection_id: '' },
  });
  expect({ status: taken.status, text: taken.text }).toMatchObject({ status: 200 });
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition()));
}
