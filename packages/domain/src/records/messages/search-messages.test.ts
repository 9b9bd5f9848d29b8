import { highlighter } from '@flotilla/database/search-highlights.ts';
import { searchQuery } from '@flotilla/database/search-query.ts';
import { planOf } from '@flotilla/testing/plan-of.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { type StoredMessage, storeMessages } from '@flotilla/testing/stored-messages.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import { lookUpSteps } from './look-up-steps.ts';
import { searchMessages } from './search-messages.ts';
import { readSearchPlaces } from './search-places.ts';
import { type SearchCursor, searchCursorOf } from './search-scope.ts';
import { lookUpStatement, walkStatement } from './search-store.ts';

const TEXTS = [
  'Привет Мир, ёлка',
  '你好世界 и всё',
  'สวัสดีชาวโลก',
  'foo-bar user@example.com /docs/read_me',
  'ÄPFEL und Straße',
  '😀 smile 👍🏽',
  "it's 50% off",
  'السَّلامُ عليكم',
  'mixed Москва 東京 paris 🇫🇷',
];
const START_S = 1_700_000_000;
const DAY_S = 86_400;

let database: TestDatabase;
let botId: number;

beforeAll(async () => {
  database = await testDatabase();
  botId = await storedBot(database.db);
});

afterAll(async () => {
  await database.drop();
});

const inChat = (chatId: number, messages: Omit<StoredMessage, 'chat_id'>[]) =>
  messages.map((message) => ({ ...message, chat_id: chatId }));
const store = (chatId: number, messages: Omit<StoredMessage, 'chat_id'>[]) =>
  storeMessages(database.db, botId, inChat(chatId, messages));
const search = (chatId: number, q: string, page: { limit?: number; offset?: number; before?: SearchCursor } = {}) =>
  searchMessages(database, { scope: { botId, chatIds: [chatId] }, q, limit: 50, offset: 0, before: null, ...page });
const idsOf = async (...search_: Parameters<typeof search>) =>
  (await search(...search_)).messages.map((message) => message.id);

describe('the forms of a word', () => {
  const CHAT = -300;
  const texts = [
    'заказы доставлены вчера',
    'где мой заказ',
    'без заказа',
    'заказчик спросил',
    'Two orders',
    'an order',
    'shipped',
    'the border',
  ];
  beforeAll(() =>
    store(
      CHAT,
      texts.map((text, id) => ({ id, text, date: START_S + id })),
    ),
  );

  test.each([
    ['заказу', [2, 1, 0]],
    ['заказами доставлен', [0]],
    ['ORDERED two', [4]],
    ['order', [5, 4]],
    ['shipping', [6]],
    ['the', [7]],
  ])('%s finds %j', async (q, ids) => {
    expect(await idsOf(CHAT, q)).toEqual(ids);
    const { forms } = await search(CHAT, q);
    const marked = highlighter(q, forms)(texts[ids[0]!]!);
    expect(marked.length).toBeGreaterThan(0);
  });

  test('are looked up like the word itself, in the messages of all bots and of few', async () => {
    const noise = Array.from({ length: 2_000 }, (_, at) => ({
      id: at,
      text: `talk ${at}`,
      date: START_S + 30 * DAY_S + at,
    }));
    await store(-301, noise);
    for (const scope of ['fleet', { botIds: [botId] }] as const) {
      const page = { limit: 50, offset: 0, before: null };
      const { messages } = await searchMessages(database, { scope, q: 'заказом где', ...page });
      expect(messages.map(({ chat_id: chat, id }) => [chat, id])).toEqual([[CHAT, 1]]);
    }
  });
});

describe('what a search finds', () => {
  const CHAT = -100;

  beforeAll(async () => {
    await store(
      CHAT,
      TEXTS.map((text, id) => ({ id, text, date: START_S + id })),
    );
    await store(-200, [{ id: 1, text: TEXTS.join(' '), date: START_S }]);
    const other = await storedBot(database.db);
    await storeMessages(database.db, other, [{ chat_id: CHAT, id: 500, text: TEXTS.join(' '), date: START_S }]);
  });

  test('the words of a quote, of the options of a poll and of the name of a file', async () => {
    const poll = { id: '1', question: 'Who?', type: 'regular', is_closed: false, is_anonymous: true };
    const options = [{ text: 'Navigator', voter_count: 0 }];
    const seen = { ...poll, allows_multiple_answers: false, total_voter_count: 0, options };
    await store(-201, [
      { id: 1, text: 'why?', date: START_S, details: { quote: 'at noontide' } },
      { id: 2, text: 'Poll: Who?', date: START_S, details: { poll: seen } },
      { id: 3, text: null, date: START_S, details: { file_name: 'ledger.pdf' } },
    ]);
    const found = ['noontide', 'navigator', 'ledger'].map((word) => idsOf(-201, word));
    expect(await Promise.all(found)).toEqual([[1], [2], [3]]);
  });

  test.each([
    ['all words, the last one as a prefix', 'мир прив', 0],
    ['any case and accent', 'ЕЛКА ПРИВЕТ', 0],
    ['words inside a script without spaces', '世界', 1],
    ['a longer part of it', '你好世界', 1],
    ['one character of it', '界', 1],
    ['words inside Thai', 'ชาวโลก', 2],
    ['the beginning of a hyphenated word', 'foo-b', 3],
    ['a part of an address', 'example.com', 3],
    ['the beginning of an address', 'user@exam', 3],
    ['a part of a path', 'read', 3],
    ['a word without its accent', 'apf', 4],
    ['a letter written as two', 'STRASSE', 4],
    ['an emoji alone', '😀', 5],
    ['an emoji whatever its skin', '👍', 5],
    ['words beside an emoji', '😀 smile', 5],
    ['a number beside punctuation', '50% of', 6],
    ['a quote in the text', "it's", 6],
    ['Arabic without its vowel signs', 'السلام عل', 7],
    ['several scripts at once', '東京 🇫🇷 Paris моск', 8],
  ])('includes %s', async (_, q, id) => {
    expect(await idsOf(CHAT, q)).toEqual([id]);
  });

  test.each([
    ['nothing there'],
    ['привет smile'],
    ['界世'],
    ['a:*b | ! &'],
    ["x' & 'y"],
    ['zz\\'],
    ['ривет'],
    ['моsква'],
  ])('is nothing for %p', async (q) => {
    expect(await search(CHAT, q)).toMatchObject({ messages: [], total: 0 });
  });

  test.each([[''], ['  \u0000 '], ['!!! & |'], ["'"], ['\ud800']])(
    'is nothing for %p, which has no word',
    async (q) => {
      expect(await search(CHAT, q)).toMatchObject({ messages: [], total: 0 });
    },
  );

  test('is whole messages, without those deleted', async () => {
    const [message] = (await search(CHAT, 'smile')).messages;
    expect(message).toMatchObject({ bot_id: botId, chat_id: CHAT, id: 5, text: TEXTS[5], outgoing: false });
    expect(message).not.toHaveProperty('search');
    await store(-300, [{ id: 1, text: 'gone', date: START_S }]);
    await sql`update messages set deleted_at = now() where chat_id = -300`.execute(database.db);
    expect(await idsOf(-300, 'gone')).toEqual([]);
  });

  test('follows an edit', async () => {
    await store(-400, [{ id: 1, text: 'before', date: START_S }]);
    await store(-400, [{ id: 1, text: 'after', date: START_S, edit_date: START_S + 9 }]);
    expect([await idsOf(-400, 'before'), await idsOf(-400, 'after')]).toEqual([[], [1]]);
  });
});

describe('a chat of many messages', () => {
  const CHAT = -1000;
  const MANY = 24_000;
  // Half a year: every message is "common", every 7th "weekly", every 400th "rare"; "burst" is in 11 past days.
  const textOf = (id: number) =>
    [
      'common',
      id % 7 === 0 ? 'weekly' : 'workday',
      id % 400 === 0 ? 'rare' : '',
      id % 3001 === 0 ? 'needle' : '',
      id > 6000 && id < 7400 ? 'burst' : '',
      `w${id % 500}`,
    ].join(' ');
  const all = Array.from({ length: MANY }, (_, at) => ({
    id: at + 1,
    text: textOf(at + 1),
    date: START_S + Math.floor((at * 180 * DAY_S) / MANY / 5) * 5,
  }));
  const matching = (...words: string[]) =>
    all
      .filter(({ text }) => words.every((word) => ` ${text}`.includes(` ${word}`)))
      .map(({ id }) => id)
      .reverse();

  beforeAll(async () => {
    for (let at = 0; at < MANY; at += 2000) await store(CHAT, all.slice(at, at + 2000));
    await sql`analyze messages`.execute(database.db);
  }, 60_000);

  // Nobody else wrote these words, so each scope has the same answers.
  const SCOPES = {
    'the chat': () => ({ botId, chatIds: [CHAT] }),
    'two chats': () => ({ botId, chatIds: [CHAT, CHAT - 100] }),
    'the bot': () => ({ botIds: [botId] }),
    'two bots': () => ({ botIds: [botId, botId + 1000] }),
    'a hundred bots': () => ({ botIds: Array.from({ length: 100 }, (_, at) => botId + at) }),
    'all bots': () => 'fleet' as const,
  };
  const WORDS = [
    ['common'],
    ['weekly'],
    ['rare'],
    ['needle'],
    ['burst'],
    ['weekly', 'rare'],
    ['weekly', 'w'],
    ['needle', 'w'],
    ['needle', 'common'],
    ['w7'],
    ['w499'],
    ['burst', 'weekly', 'w1'],
    ['burst', 'absent'],
  ];

  describe.each(Object.entries(SCOPES))('in %s', (_name, scope) => {
    const find = (q: string, page: Parameters<typeof search>[2] = {}) =>
      searchMessages(database, { scope: scope(), q, limit: 50, offset: 0, before: null, ...page });
    const idsIn = async (...asked: Parameters<typeof find>) => (await find(...asked)).messages.map(({ id }) => id);

    test.each(WORDS.map((words) => [words]))('is searched for %j, newest first', async (words) => {
      const expected = matching(...words);
      const found = await find(words.join(' '));
      expect(found.messages.map(({ id }) => id)).toEqual(expected.slice(0, 50));
      expect(found.total).toBeLessThanOrEqual(expected.length);
      expect(found.total).toBeGreaterThanOrEqual(found.messages.length);
      if (expected.length < 50) expect(found.total).toBe(expected.length);
    });

    test.each([['common'], ['weekly'], ['rare'], ['burst']])('is paged through by offset for %p', async (word) => {
      const expected = matching(word);
      for (const offset of [10, 55, 1150]) {
        expect(await idsIn(word, { offset, limit: 20 })).toEqual(expected.slice(offset, offset + 20));
      }
      expect(await idsIn(word, { offset: 100_000 })).toEqual([]);
    });

    test.each([['weekly'], ['rare'], ['needle']])('is paged through by cursor for %p', async (word) => {
      const expected = matching(word);
      const seen: number[] = [];
      let before: SearchCursor | undefined;
      for (let pages = 0; pages < 5; pages += 1) {
        const { messages, total } = await find(word, { limit: 7, ...(before ? { before } : {}) });
        expect(total).toBeGreaterThanOrEqual(messages.length);
        seen.push(...messages.map(({ id }) => id));
        const last = messages.at(-1);
        if (last === undefined) break;
        before = searchCursorOf(last);
      }
      expect(seen).toEqual(expected.slice(0, 35));
    });

    test.each([[false], [true]])('looks up words in their index alone (last word broad: %p)', async (broad) => {
      const searched = { scope: scope(), limit: 50, offset: 0, before: null };
      const { periods, partitions } = await readSearchPlaces(database.db, searched);
      const query = searchQuery('needle commo')!;
      const steps = lookUpSteps(searched.scope, query, periods, broad);
      const plan = await planAnalyzed(lookUpStatement(searched, steps, query, 1000, partitions));
      expect(plan).toContain('"Index Name":"messages_search"');
      expect(plan).not.toMatch(/"Index Name":"messages_(newest|of_bot|of_fleet|pkey)"/);
      expect(plan).not.toMatch(/"Node Type":"Seq Scan"[^{}]*"Relation Name":"messages"/);
    });

    test('reads the newest messages by an index that has them in order', async () => {
      const searched = { scope: scope(), limit: 50, offset: 0, before: null };
      const plan = await planAnalyzed(walkStatement(searched, searchQuery('common')!, 500, null));
      expect(plan).toMatch(/"Index Name":"messages_(newest|of_bot|of_fleet)"/);
      expect(plan).not.toMatch(/"Node Type":"(Seq|Bitmap Heap) Scan"[^{}]*"Relation Name":"messages"/);
    });
  });

  const planAnalyzed = (statement: RawBuilder<unknown>) =>
    planOf(database.db, { compile: () => statement.compile(database.db) }, 'analyze, format json');

  test('counts exactly in a chat of some thousand messages, up to a thousand', async () => {
    const chatId = -1001;
    const few = Array.from({ length: 3000 }, (_, at) => ({
      id: at,
      date: START_S + at,
      text: at % 3 ? 'other' : 'third',
    }));
    await store(chatId, few);
    expect(await search(chatId, 'third', { limit: 5 })).toMatchObject({ total: 1000 });
    expect(await search(chatId, 'thir', { limit: 5, offset: 990 })).toMatchObject({ total: 1000 });
  });
});
