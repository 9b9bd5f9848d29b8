import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { searchCondition } from './search-condition.ts';

const texts = [
  'Привет Мир',
  '你好世界 и всё',
  'สวัสดีชาวโลก',
  'foo-bar user@example.com /docs/read_me',
  'ÄPFEL und Birnen',
  '😀 smile',
  "it's 50% off",
];

let database: TestDatabase;
let botId: number;

beforeAll(async () => {
  database = await testDatabase();
  const { rows } = await sql<{ id: number }>`
    insert into bots (telegram_id, token_sealed, token_hash, name, username, source, generation, revision)
    values (1, '', 'hash', '', '', 'web', 'g', 1) returning id`.execute(database.db);
  botId = rows[0]?.id ?? 0;
  const messages = texts.map((text, id) => ({ bot_id: botId, chat_id: -100, id, date: 1, text }));
  const elsewhere = { bot_id: botId, chat_id: -200, id: 1, date: 1, text: texts.join(' ') };
  await database.db
    .insertInto('messages')
    .values([...messages, elsewhere])
    .execute();
});

afterAll(async () => {
  await database.drop();
});

async function search(q: string): Promise<string[] | null> {
  const condition = searchCondition({ botId, chatId: -100 }, q);
  if (condition === null) return null;
  const rows = await database.db.selectFrom('messages').select('text').where(condition).orderBy('id').execute();
  return rows.map((row) => row.text ?? '');
}

describe('searchCondition', () => {
  test.each([
    ['all words, the last one as a prefix', 'мир прив', 0],
    ['any case', 'пРИВЕТ', 0],
    ['words inside a script without spaces', '世界', 1],
    ['words inside Thai', 'ชาวโลก', 2],
    ['the beginning of a hyphenated word', 'foo-b', 3],
    ['a part of an address', 'example.com', 3],
    ['the beginning of an address', 'user@exam', 3],
    ['a part of a path', 'read', 3],
    ['umlauts in any case', 'äpf', 4],
    ['words beside an emoji', '😀 smile', 5],
    ['a number beside punctuation', '50% of', 6],
    ['a quote in the text', "it's", 6],
  ])('finds %s', async (_, q, index) => {
    expect(await search(q)).toEqual([texts[index]]);
  });

  test.each([['nothing there'], ['привет smile'], ['界世'], ['a:*b | ! &'], ["x' & 'y"], ['a\\'], ['<->']])(
    'finds nothing for %p, and does not fail',
    async (q) => {
      expect((await search(q)) ?? []).toEqual([]);
    },
  );

  test.each([['😀'], [''], ['  \u0000 '], ['!!! & |'], ["'"]])(
    'has no condition for %p, which has no word',
    async (q) => {
      expect(await search(q)).toBeNull();
    },
  );
});

test('a search is answered from the index', async () => {
  const condition = searchCondition({ botId, chatId: -100 }, 'smi');
  const plan = await database.db.transaction().execute(async (transaction) => {
    await sql`set local enable_seqscan = off`.execute(transaction);
    const { rows } = await sql<Record<string, string>>`
      explain select id from messages where ${condition ?? sql`true`}`.execute(transaction);
    return JSON.stringify(rows);
  });
  expect(plan).toContain('messages_search');
});
