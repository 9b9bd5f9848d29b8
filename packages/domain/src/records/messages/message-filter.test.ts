import { searchQuery } from '@flotilla/database/search-query.ts';
import { planOf } from '@flotilla/testing/plan-of.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { positionOf } from '../history/find-message-position.ts';
import { exportChat } from './export-chat.ts';
import {
  countStatement,
  listStatement,
  type MessageCursor,
  type MessageFilter,
  messageStore,
} from './message-store.ts';
import { searchMessages } from './search-messages.ts';
import { searchStore } from './search-store.ts';

const CHAT = -100;
const MANY = 24_000;
const START_S = 1_700_000_000;
const SELDOM = 501;
const OFTEN = 1;
const RARE_TOPIC = 120;

let database: TestDatabase;
let bot_id: number;

// One of 1,200 messages is by the user who seldom writes, and a tenth of theirs have a voice. Every 50th is a photo.
const all = Array.from({ length: MANY }, (_, at) => ({
  id: at + 1,
  date: START_S + Math.floor(at / 3),
  text: `common w${at % 40} ${at % 12_000 === 0 ? 'needle' : 'hay'}`,
  user_id: at % 1200 === 0 ? SELDOM : OFTEN + (at % 3),
  media_type: at % 12_000 === 0 ? 'voice' : at % 50 === 7 ? 'photo' : null,
  details: at % 3 === 0 ? null : { thread_id: at % 1200 === 1 ? RARE_TOPIC : at % 3 },
  isDeleted: at % 100 === 7 || at === 2400,
}));

beforeAll(async () => {
  database = await testDatabase();
  bot_id = await storedBot(database.db);
  for (let at = 0; at < MANY; at += 2000) {
    const rows = all.slice(at, at + 2000).map(({ isDeleted: _, ...row }) => ({ ...row, chat_id: CHAT }));
    await storeMessages(database.db, bot_id, rows);
  }
  const deleted = all.filter(({ isDeleted }) => isDeleted).map(({ id }) => id);
  await sql`update messages set deleted_at = now() where chat_id = ${CHAT} and id = any (${deleted})`.execute(
    database.db,
  );
  await storeMessages(database.db, bot_id, [
    { chat_id: CHAT - 1, id: 1, date: START_S, text: 'needle', user_id: SELDOM },
  ]);
  await waitFor(vacuumed, { timeoutMs: 30_000 });
}, 60_000);

/** An index alone is read where every page is known to be visible to all; transactions of other databases delay that. */
async function vacuumed(): Promise<boolean> {
  await sql`vacuum analyze messages`.execute(database.db);
  const { rows } = await sql<{ done: boolean }>`
    select bool_and(relallvisible >= relpages) as done from pg_class join pg_inherits on inhrelid = pg_class.oid
    where inhparent = 'messages'::regclass`.execute(database.db);
  return rows[0]?.done === true;
}

afterAll(async () => {
  await database.drop();
});

const FILTERS: [string, MessageFilter][] = [
  ['a user who seldom writes', { user_id: SELDOM }],
  ['a user who often writes', { user_id: OFTEN }],
  ['nobody', { user_id: 77 }],
  ['a medium', { media_type: 'photo' }],
  ['a rare medium', { media_type: 'voice' }],
  ['a topic', { thread_id: 2 }],
  ['a rare topic', { thread_id: RARE_TOPIC }],
  ['General', { thread_id: 1 }],
  ['no topic, or General', { thread_id: 0 }],
  ['a topic that is not there', { thread_id: 3 }],
  ['a time', { fromS: START_S + 1000, toS: START_S + 1010 }],
  ['a beginning', { fromS: START_S + 7000 }],
  ['an end', { toS: START_S + 500 }],
  ['a user, a medium and a time', { user_id: OFTEN, media_type: 'photo', fromS: START_S + 100, toS: START_S + 4000 }],
];

const isIn = (threadId: number, topic: number | undefined) =>
  topic === threadId || (threadId === 0 && (topic ?? 1) === 1);

const expected = (
  { user_id, media_type, thread_id, fromS = 0, toS = Number.MAX_SAFE_INTEGER }: MessageFilter,
  deletedToo = false,
) =>
  all
    .filter(({ isDeleted }) => deletedToo || !isDeleted)
    .filter((row) => user_id === undefined || row.user_id === user_id)
    .filter((row) => media_type === undefined || row.media_type === media_type)
    .filter((row) => thread_id === undefined || isIn(thread_id, row.details?.thread_id))
    .filter(({ date }) => date >= fromS && date <= toS)
    .map(({ id }) => id)
    .reverse();

describe.each(FILTERS)('the messages of %s', (_name, filter) => {
  const chat = () => ({ bot_id, chat_id: CHAT });

  test('are listed newest first, page by page, and counted', async () => {
    const store = messageStore(database.db);
    for (const include_deleted of [false, true]) {
      const ids = expected(filter, include_deleted);
      expect(await store.count(chat(), { include_deleted, filter })).toBe(ids.length);
      const seen: number[] = [];
      let before: MessageCursor | null = null;
      for (let pages = 0; pages < 4; pages += 1) {
        const page = await store.list(chat(), { limit: 30, offset: 0, before, include_deleted, filter });
        seen.push(...page.map(({ id }) => id));
        const last = page.at(-1);
        if (last !== undefined) before = positionOf(last);
      }
      expect(seen).toEqual(ids.slice(0, 120));
      const offset = await store.list(chat(), { limit: 5, offset: 3, before: null, include_deleted, filter });
      expect(offset.map(({ id }) => id)).toEqual(ids.slice(3, 8));
    }
  });

  test('are exported', async () => {
    const ids: number[] = [];
    for await (const { id } of exportChat(database.db, chat(), filter)) ids.push(id);
    expect(ids).toEqual(expected(filter));
  });

  test.each([['needle'], ['common w7'], ['hay'], ['absent']])('are searched for %p', async (q) => {
    const words = q.split(' ');
    const ids = expected(filter).filter((id) => words.every((word) => ` ${all[id - 1]!.text}`.includes(` ${word}`)));
    const scope = { botId: bot_id, chatIds: [CHAT] };
    const found = await searchMessages(database, { scope, filter, q, limit: 20, offset: 0, before: null });
    expect(found.messages.map(({ id }) => id)).toEqual(ids.slice(0, 20));
    expect(found.total).toBeLessThanOrEqual(ids.length);
    expect(found.total).toBeGreaterThanOrEqual(Math.min(ids.length, 20));
  });
});

describe('where a chat has many messages', () => {
  const page = { limit: 51, offset: 0, before: null, include_deleted: false };

  test.each([
    [{ user_id: SELDOM }, 'messages_author'],
    [{ media_type: 'voice' }, 'messages_media'],
    [{ thread_id: RARE_TOPIC }, 'messages_topic'],
    [{ fromS: START_S + 1000, toS: START_S + 1010 }, 'messages_newest'],
  ] as const)('an index leads to the messages of %j', async (filter, index) => {
    const plan = await planOf(database.db, listStatement(database.db, { bot_id, chat_id: CHAT }, { ...page, filter }));
    expect(plan).toContain(`"Index Name":"${index}"`);
    expect(plan).not.toMatch(/Seq Scan"[^{}]*"Relation Name":"messages"/);
  });

  test.each([
    [{ user_id: OFTEN }, 'messages_author'],
    [{ media_type: 'photo' }, 'messages_media'],
    [{ thread_id: 2 }, 'messages_topic'],
    [{ fromS: START_S + 6500 }, 'messages_newest'],
  ] as const)('many messages of %j are counted without reading them', async (filter, index) => {
    const plan = await planOf(database.db, countStatement(database.db, { bot_id, chat_id: CHAT }, filter));
    expect(plan).toMatch(new RegExp(`"Index Only Scan"[^{}]*"Index Name":"${index}"`));
    expect(plan).toMatch(/"Index Only Scan"[^{}]*"Index Name":"messages_deleted"/);
  });

  test.each([[null], [[4_000_000_000, 0, 0, ''] as const]])(
    'an index gives the order of a large page that begins at %j: the chat is not sorted',
    async (before) => {
      const large = listStatement(database.db, { bot_id, chat_id: CHAT }, { ...page, before, limit: 1000 });
      expect(await planOf(database.db, large)).not.toContain('"Node Type":"Sort"');
    },
  );

  test('a search reads on in what the user wrote instead of looking a common word up in the whole chat', async () => {
    const query = searchQuery('common')!;
    const searched = { ...page, scope: { botId: bot_id, chatIds: [CHAT] }, filter: { user_id: SELDOM } };
    const seen = await searchStore(database.db).walk(searched, query, 500);
    expect([seen.walked, seen.matching]).toEqual([20, 19]);
  });
});
