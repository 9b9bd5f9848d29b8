import type { BotResource } from '@flotilla/contract/bots.ts';
import type { PersonResource } from '@flotilla/contract/chat-users.ts';
import type { FoundMessageResource } from '@flotilla/contract/message-operations.ts';
import type { FoldedAuthor } from '@flotilla/domain/records/history/effects/history-fold.ts';
import { historyChatStore } from '@flotilla/domain/records/history/history-chat-store.ts';
import { movedGroupStore } from '@flotilla/domain/records/moved-groups/moved-group-store.ts';
import { waitingForLocks, whileLocked } from '@flotilla/testing/locked-table.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const DATE_S = 1_770_000_000;
const CHAT = -1_009_000_000_000;
const ADA = 70_001;

const api = testApi();
let admin: RestClient;
let desk: BotResource;
let shop: BotResource;
let foreign: BotResource;
/** Of a user who has two of the three bots, and of the admin for one bot only. */
let ofTwo: RestClient;
let ofOne: RestClient;

beforeAll(async () => {
  admin = restClient(api.url, ADMIN_KEY);
  [desk, shop, foreign] = [await api.addBot(), await api.addBot(), await api.addBot()];
  const { key } = await insertAccount(api.database.db, { username: 'two', bots: [desk.id, shop.id] });
  ofTwo = restClient(api.url, key);
  const made = await admin('POST', '/api/auth/api-keys', { body: { name: 'one', bot_ids: [shop.id] } });
  ofOne = restClient(api.url, (made.json as { key: string }).key);
});

type Texts = { text: string; id: number; date?: number; user_id?: number };
const store = (botId: number, chatId: number, messages: Texts[]) =>
  storeMessages(
    api.database.db,
    botId,
    messages.map((message) => ({ chat_id: chatId, date: DATE_S + message.id, ...message })),
  );
const nameChat = (id: number, names: Partial<Record<'title' | 'type' | 'first_name' | 'last_name', string>>) =>
  api.database.db.updateTable('chats').set(names).where('id', '=', id).execute();
const search = (client: RestClient, query: Record<string, string | number>) =>
  client('GET', '/api/messages/search', { query });
const found = (answer: RestAnswer) => answer.json as FoundMessageResource[];
const placesOf = (answer: RestAnswer) => found(answer).map(({ bot_id, chat_id, id }) => [bot_id, chat_id, id]);
const totalOf = ({ headers }: RestAnswer) => headers.get('x-total-count');
const nextOf = ({ headers }: RestAnswer) => /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

describe('notes', () => {
  const GROUP = CHAT - 900;
  const note = async (bot: BotResource, text: string) => {
    const body = { bot_id: bot.id, chat_id: GROUP, text };
    const { json } = await admin('POST', '/api/notes/add', { body });
    return (json as { id: number }).id;
  };

  test('are found beside messages by the same words and rights, and pages miss none', async () => {
    const now = Math.floor(Date.now() / 1000);
    const messages = [-5, 5].map((later, id) => ({ id: id + 1, text: `parcels ${id}`, date: now + later * 100 }));
    for (const bot of [desk, foreign]) await store(bot.id, GROUP, messages);
    const texts = ['Two Parcels for Ада', 'a parcel@example.com', '包裹 parcel 你好世界', 'parcelled'];
    const ids: number[] = [];
    for (const text of texts) ids.push(await note(desk, text));
    await note(foreign, 'a parcel of others');

    const answer = await search(ofTwo, { q: 'parcels', notes: 1, chat_id: GROUP });
    expect(found(answer).map(({ text }) => text)).toEqual([
      ...['parcels 1', texts[3], texts[2], texts[1], texts[0], 'parcels 0'],
    ]);
    const marked = found(answer)[4]!;
    expect(marked).toMatchObject({
      ...{ id: ids[0], bot_id: desk.id, outgoing: false, highlights: [{ offset: 4, length: 7 }] },
      note: { account: 'admin', mentions: [] },
    });
    expect(found(answer)[0]).not.toHaveProperty('note');
    expect(totalOf(answer)).toBe('6');

    const paged: unknown[] = [];
    let next: string | undefined = `/api/messages/search?q=parcels&notes=1&limit=1&chat_id=${GROUP}`;
    for (let pages = 0; next !== undefined && pages < 9; pages += 1) {
      const page = await ofTwo('GET', next);
      paged.push(...found(page).map(({ text }) => text));
      next = nextOf(page);
    }
    expect(paged).toEqual(found(answer).map(({ text }) => text));
  });

  test.each([
    ['ада parcel', 1],
    ['exam', 1],
    ['世界', 1],
    ['parcelled', 4],
    ['two ада', 1],
    ['nothing', 0],
  ])('%s finds %i', async (q, count) => {
    const answer = await search(ofTwo, { q, notes: 1, chat_id: GROUP });
    expect(found(answer).filter((row) => row.note !== undefined)).toHaveLength(count);
  });

  test('are left out without `notes`, and where messages of a person are asked for', async () => {
    for (const query of [{ q: 'parcel' }, { q: 'parcel', notes: 1, user_id: ADA }]) {
      const answer = await search(ofTwo, { ...query, chat_id: GROUP });
      expect(found(answer).filter((row) => row.note !== undefined)).toEqual([]);
    }
    expect(await search(ofTwo, { q: 'parcel', notes: 1, offset: 1 })).toMatchObject({ status: 400 });
  });
});

describe('a search over all chats', () => {
  test('finds all 33 of 33 messages every time, as chats move', async () => {
    const chats = Array.from({ length: 60 }, (_, at) => CHAT - at);
    for (const [at, chat] of chats.entries()) {
      const bot = at % 2 ? desk : shop;
      await store(bot.id, chat, [{ id: 1, text: at < 33 ? `order number ${at}` : 'nothing of interest' }]);
    }
    const expected = new Set(chats.slice(0, 33).map((chat) => `${chat}`));
    for (let round = 0; round < 8; round += 1) {
      // The chats that come first in the inbox are others each time.
      for (const at of [round * 7, round * 5 + 20, 59 - round]) {
        await store(at % 2 ? desk.id : shop.id, chats[at]!, [
          { id: 100 + round, text: 'hello', date: DATE_S + 1000 + round },
        ]);
      }
      const answer = await search(admin, { q: 'order' });
      expect(totalOf(answer)).toBe('33');
      expect(new Set(found(answer).map(({ chat_id }) => `${chat_id}`))).toEqual(expected);
    }
  });

  test('gives whole messages with the titles of their chats and what was found', async () => {
    const [group, person] = [CHAT - 100, 4242];
    await store(desk.id, group, [{ id: 1, text: 'Das Café öffnet' }]);
    await store(desk.id, person, [{ id: 2, text: 'cafés' }]);
    await nameChat(group, { title: 'Library' });
    await nameChat(person, { type: 'private', first_name: 'Ada', last_name: 'Lovelace' });
    const answer = await search(admin, { q: 'cafe' });
    expect(found(answer)).toEqual([
      expect.objectContaining({ chat_title: 'Ada Lovelace', highlights: [{ offset: 0, length: 5 }], text: 'cafés' }),
      {
        ...{ id: 1, chat_id: group, bot_id: desk.id, user_id: 77, username: 'ada', first_name: 'Ada' },
        ...{ text: 'Das Café öffnet', date: DATE_S + 1, outgoing: false },
        ...{ chat_title: 'Library', highlights: [{ offset: 4, length: 4 }] },
      },
    ]);
  });

  test.each([
    ['Cyrillic', 'мой заказ 17', 'заказ 1'],
    ['Arabic', 'أين طلبي الآن', 'طلب'],
    ['Chinese', '我的订单已发货', '订单'],
    ['Latin', 'Où est ma Commande', 'commande'],
  ])('finds in %s what a search in the chat finds', async (script, text, q) => {
    const chat_id = CHAT - 200 - script.length;
    await store(shop.id, chat_id, [{ id: 1, text }]);
    const inChat = await search(admin, { bot_id: shop.id, chat_id, q });
    expect(placesOf(inChat)).toEqual([[shop.id, chat_id, 1]]);
    for (const client of [admin, ofTwo, ofOne]) {
      for (const bot of [{}, { bot_id: shop.id }]) {
        expect(found(await search(client, { q, ...bot }))).toEqual(found(inChat));
      }
    }
  });

  test('is filtered by author, kind and time', async () => {
    const word = 'filtered';
    await store(desk.id, CHAT - 300, [
      { id: 1, text: word, user_id: ADA },
      { id: 2, text: word, user_id: 5 },
      { id: 3, text: word, user_id: ADA, date: DATE_S + 5000 },
    ]);
    await store(shop.id, CHAT - 301, [{ id: 4, text: word, user_id: ADA }]);
    const idsOf = async (query: object) => found(await search(admin, { q: word, ...query })).map(({ id }) => id);
    expect(await idsOf({})).toEqual([3, 4, 2, 1]);
    expect(await idsOf({ user_id: ADA })).toEqual([3, 4, 1]);
    expect(await idsOf({ user_id: ADA, bot_id: desk.id })).toEqual([3, 1]);
    expect(await idsOf({ from: DATE_S + 2, to: DATE_S + 100 })).toEqual([4, 2]);
    expect(await idsOf({ media_type: 'photo' })).toEqual([]);
  });

  test('is paged by a cursor that messages of the same second and new ones do not move', async () => {
    const word = 'paged';
    const chats = [CHAT - 400, CHAT - 401, CHAT - 402];
    const all: string[] = [];
    for (const bot of [desk, shop]) {
      for (const chat of chats) {
        const some = Array.from({ length: 5 }, (_, at) => ({ id: at + 1, text: word, date: DATE_S + (at % 2) }));
        await store(bot.id, chat, some);
        all.push(...some.map(({ id }) => `${bot.id} ${chat} ${id}`));
      }
    }
    const seen: string[] = [];
    let page = await search(admin, { q: word, limit: 4 });
    for (let later = 1; ; later += 1) {
      seen.push(...placesOf(page).map((place) => place.join(' ')));
      const next = nextOf(page);
      if (next === undefined) break;
      await store(desk.id, chats[0]!, [{ id: 1000 + later, text: word, date: DATE_S + 9000 + later }]);
      page = await admin('GET', next);
    }
    expect(seen).toHaveLength(all.length);
    expect(new Set(seen)).toEqual(new Set(all));
  });

  test('includes the group that a supergroup was before, and names it by what it is now', async () => {
    const [group, supergroup] = [-900_001, CHAT - 500];
    await store(desk.id, group, [{ id: 1, text: 'moved before' }]);
    await movedGroupStore(api.database.db).point({ bot_id: desk.id, fromChatId: group, toChatId: supergroup });
    await store(desk.id, supergroup, [{ id: 1, text: 'moved after', date: DATE_S + 100 }]);
    await nameChat(supergroup, { title: 'Moved' });
    for (const query of [{}, { bot_id: desk.id, chat_id: supergroup }]) {
      const answer = await search(admin, { q: 'moved', ...query });
      expect(found(answer).map(({ chat_id, chat_title }) => [chat_id, chat_title])).toEqual([
        [supergroup, 'Moved'],
        [group, 'Moved'],
      ]);
    }
    expect(placesOf(await search(admin, { q: 'moved', bot_id: desk.id, chat_id: group }))).toHaveLength(1);
  });

  test('shows nothing of a deleted chat or bot, at once', async () => {
    const gone = await api.addBot();
    const chat_id = CHAT - 600;
    for (const { id } of [desk, gone]) await store(id, chat_id, [{ id: 1, text: 'deleted soon' }]);
    expect(found(await search(admin, { q: 'deleted soon' }))).toHaveLength(2);
    await admin('POST', '/api/chats/delete', { body: { bot_id: desk.id, chat_id } });
    await admin('POST', '/api/bots/delete', { body: { id: gone.id } });
    const answer = await search(admin, { q: 'deleted soon' });
    expect([found(answer), totalOf(answer)]).toEqual([[], '0']);
  });
});

describe('a caller who sees some bots', () => {
  const word = 'confidential';
  const places = () => ({ desk: [desk.id, CHAT - 700, 1], shop: [shop.id, CHAT - 700, 2] });

  beforeAll(async () => {
    await store(desk.id, CHAT - 700, [{ id: 1, text: word }]);
    await store(shop.id, CHAT - 700, [{ id: 2, text: word }]);
    await store(
      foreign.id,
      CHAT - 700,
      Array.from({ length: 9 }, (_, at) => ({ id: 10 + at, text: `${word} ${at}`, user_id: ADA })),
    );
  });

  test('finds and counts the messages of these alone', async () => {
    const ofUser = await search(ofTwo, { q: word });
    expect([placesOf(ofUser), totalOf(ofUser)]).toEqual([[places().shop, places().desk], '2']);
    const ofKey = await search(ofOne, { q: word });
    expect([placesOf(ofKey), totalOf(ofKey)]).toEqual([[places().shop], '1']);
    expect(totalOf(await search(admin, { q: word }))).toBe('11');
    expect(found(await search(ofTwo, { q: word, user_id: ADA }))).toEqual([]);
  });

  test('is refused a foreign bot whether it exists or not, and cannot ask for a chat of it', async () => {
    for (const path of ['/api/messages/search', '/api/people']) {
      for (const bot_id of [foreign.id, 999_999]) {
        const answer = await ofTwo('GET', path, { query: { q: word, bot_id } });
        expect([answer.status, (answer.json as { error: string }).error]).toEqual([403, 'This bot is not among yours']);
      }
    }
    await store(foreign.id, CHAT - 701, [{ id: 1, text: word }]);
    expect(await search(ofTwo, { q: word, chat_id: CHAT - 701 })).toMatchObject({
      status: 400,
      json: { details: [{ path: 'bot_id' }] },
    });
  });

  test('with no bot finds nothing', async () => {
    const { key } = await insertAccount(api.database.db, { username: 'none', bots: [] });
    const client = restClient(api.url, key);
    const answer = await search(client, { q: word });
    expect([found(answer), totalOf(answer)]).toEqual([[], '0']);
    expect((await client('GET', '/api/people', { query: { q: 'ada' } })).json).toEqual([]);
  });
});

describe('people', () => {
  const author = (botId: number, chatId: number, given: Partial<FoldedAuthor> & { id: number }): FoldedAuthor => ({
    ...{
      bot_id: botId,
      chat_id: chatId,
      username: null,
      first_name: 'Somebody',
      last_name: null,
      is_bot: false,
      isChat: false,
      language_code: null,
      seenAtS: DATE_S,
    },
    ...given,
  });
  const people = async (client: RestClient, query: Record<string, string | number>) =>
    (await client('GET', '/api/people', { query })).json as PersonResource[];
  const idsOf = async (client: RestClient, q: string) => (await people(client, { q })).map(({ user_id }) => user_id);
  const [group, later] = [-900_800, CHAT - 800];

  beforeAll(async () => {
    const ada = { id: ADA, username: 'ada_l', first_name: 'Àda', last_name: 'Lovelace' };
    await store(desk.id, group, [
      { id: 1, text: 'one', user_id: ADA },
      { id: 2, text: 'two', user_id: ADA },
    ]);
    await store(shop.id, 70_001, [{ id: 1, text: 'three', user_id: ADA }]);
    await historyChatStore(api.database.db).upsertAuthors([
      author(desk.id, group, { ...ada, first_name: 'Ada', last_name: 'Byron' }),
      author(shop.id, ADA, { ...ada, seenAtS: DATE_S + 600 }),
      author(foreign.id, CHAT - 801, { ...ada, last_name: 'Secret', seenAtS: DATE_S + 900 }),
      author(desk.id, group, { id: 5, first_name: '张伟' }),
      author(desk.id, group, { id: 6, first_name: 'Ёлка', last_name: 'Иванова' }),
      author(desk.id, group, { id: 7, first_name: 'أحمد' }),
      author(desk.id, group, { id: 8, first_name: 'Ada', is_bot: true }),
      author(foreign.id, CHAT - 801, { id: 9, first_name: 'Adalbert' }),
    ]);
    await nameChat(group, { title: 'Library' });
    const move = { bot_id: desk.id, fromChatId: group, toChatId: later };
    await movedGroupStore(api.database.db).point(move);
    await movedGroupStore(api.database.db).movePeople(move);
  });

  test.each([
    ['the beginning of each name', 'lov ad', [ADA]],
    ['a name that they had in another chat', 'byron', [ADA]],
    ['the username', '@ada_', [ADA]],
    ['the id', `${ADA}`, [ADA]],
    ['a part of a Chinese name', '伟', [5]],
    ['a Cyrillic name without its accent', 'елк иван', [6]],
    ['an Arabic name without its hamza', 'احمد', [7]],
  ])('are found by %s', async (_, q, expected) => {
    expect(await idsOf(ofTwo, q)).toEqual(expected);
  });

  test.each([['@lovelace'], ['nobody'], ['%'], ['!!']])('are not found by %s', async (q) => {
    expect(await idsOf(admin, q)).toEqual([]);
  });

  test('have their newest names and the chats of the caller’s bots, with what came from a group in its supergroup', async () => {
    expect(await people(ofTwo, { q: 'ada' })).toEqual([
      {
        ...{ user_id: ADA, username: 'ada_l', first_name: 'Àda', last_name: 'Lovelace' },
        chats: [
          {
            ...{ bot_id: shop.id, chat_id: ADA, messages: 1 },
            last_message_at: new Date((DATE_S + 600) * 1000).toISOString(),
          },
          {
            ...{ bot_id: desk.id, chat_id: later, title: 'Library', messages: 2 },
            last_message_at: new Date(DATE_S * 1000).toISOString(),
          },
        ],
      },
    ]);
    expect((await people(ofOne, { q: 'ada' }))[0]!.chats).toHaveLength(1);
    expect((await people(admin, { q: 'ada', bot_id: desk.id }))[0]).toMatchObject({ last_name: 'Byron' });
  });

  test('of foreign bots are not found, by names and chats of theirs neither', async () => {
    expect(await idsOf(ofTwo, 'adalbert')).toEqual([]);
    expect(await idsOf(ofTwo, 'secret')).toEqual([]);
    expect(new Set(await idsOf(admin, 'ada'))).toEqual(new Set([ADA, 9]));
    expect((await people(admin, { q: 'ada', limit: 1 })).map(({ user_id }) => user_id)).toEqual([ADA]);
  });
});

test('rules are found by a part of their condition or description, those of the caller’s bots alone', async () => {
  for (const [bot, condition_value, description] of [
    [desk, 'Refund', ''],
    [shop, 'money', 'About a refund'],
    [foreign, 'refunds', ''],
  ] as const) {
    const rule = { source_bot_id: bot.id, target_bot_id: bot.id, condition_type: 'keyword', action: 'copy' };
    const body = { ...rule, condition_value, description, target_chat_id: CHAT };
    expect(await admin('POST', '/api/routes/add', { body })).toMatchObject({ status: 200 });
  }
  const valuesFor = async (client: RestClient, q: string) => {
    const { json } = await client('GET', '/api/routes', { query: { q } });
    return (json as { condition_value: string }[]).map(({ condition_value }) => condition_value);
  };
  expect(await valuesFor(admin, 'REFUND')).toEqual(['Refund', 'money', 'refunds']);
  expect(await valuesFor(ofTwo, 'refund')).toEqual(['Refund', 'money']);
  expect(await valuesFor(ofOne, 'refund')).toEqual(['money']);
  expect(await valuesFor(admin, '%')).toEqual([]);
});

describe('a search that Postgres cannot answer', () => {
  const whileWaiting = (work: () => Promise<void>) => whileLocked(api.database.db, 'messages', work);
  const waiting = () => waitingForLocks(api.database.db);

  test('ends after its time, with what to do', async () => {
    await whileWaiting(async () => {
      const answer = await search(admin, { q: 'waiting' });
      expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } });
      expect(answer.json).not.toHaveProperty('store');
      expect((answer.json as { error: string }).error).toContain('The search took too long');
      expect(await waiting()).toBe(0);
    });
  });

  test('ends in Postgres when its client leaves, without a fault of ours', async () => {
    const faults = () => api.logLines.filter((line) => line.includes('"level":50')).length;
    const before = faults();
    await whileWaiting(async () => {
      const gone = new AbortController();
      const headers = { authorization: `Bearer ${ADMIN_KEY}` };
      const asked = fetch(`${api.url}/api/messages/search?q=leaving`, { headers, signal: gone.signal });
      await waitFor(async () => (await waiting()) === 1);
      gone.abort();
      await expect(asked).rejects.toThrow('aborted');
      await waitFor(async () => (await waiting()) === 0);
    });
    expect(faults()).toBe(before);
  });

  test('does not take the searches of others: an account runs a few at once', async () => {
    await whileWaiting(async () => {
      const leave = new AbortController();
      const headers = { authorization: `Bearer ${ADMIN_KEY}` };
      const asked = Array.from({ length: 4 }, () =>
        fetch(`${api.url}/api/messages/search?q=many`, { headers, signal: leave.signal }).catch(() => null),
      );
      await waitFor(async () => (await waiting()) === 4);
      const refused = await search(admin, { q: 'many' });
      expect(refused).toMatchObject({ status: 429, json: { code: 'too_many_requests' } });
      expect(refused.headers.get('ratelimit')).toBe('"searches";r=0');
      expect(refused.headers.get('ratelimit-policy')).toBe('"searches";q=4;qu="concurrent-requests"');
      const dryRun = { bot_id: desk.id, name: '-', audience: { chat_types: ['private'] }, dry_run: true };
      const others = await Promise.all([
        admin('GET', '/api/notes', { query: { q: 'many' } }),
        admin('GET', '/api/broadcasts/choices', { query: { bot_id: desk.id } }),
        admin('POST', '/api/broadcasts/add', { body: { ...dryRun, method: 'sendMessage', params: { text: 'x' } } }),
      ]);
      expect(others.map(({ status }) => status)).toEqual([429, 429, 429]);
      leave.abort();
      await Promise.all(asked);
    });
    await waitFor(async () => (await search(admin, { q: 'many' })).status === 200);
  });
});
