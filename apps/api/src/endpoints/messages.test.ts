import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const PERSON = 7_000_000_001;
const GROUP = -1_001_234_567_890;

const api = testApi();
let bot: BotResource;

beforeAll(async () => {
  const known = await api.platform.createBot({});
  bot = (await api.admin('POST', '/api/bots/add', { body: { token: known.token } })).json as BotResource;
  await api.platform.createPerson({ id: PERSON, firstName: 'Ada' });
  await api.platform.startBot({ person: PERSON, bot: known.id });
});

const platformId = () => Number(bot.token.split(':')[0]);
const send = (body: object) =>
  api.admin('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id: PERSON, ...body } });
const list = (query: Record<string, string | number>) =>
  api.admin('GET', '/api/messages', { query: { bot_id: bot.id, ...query } });
const idsOf = (answer: RestAnswer) => (answer.json as MessageResource[]).map(({ id }) => id);
const nextOf = (answer: RestAnswer) => /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];

describe('sending a message', () => {
  test('reaches the chat, and is stored when the answer comes', async () => {
    const sent = await send({ text: 'Hello *there*', parse_mode: 'markdownv2' });
    expect(sent.json).toEqual({
      id: expect.any(Number),
      chat_id: PERSON,
      bot_id: bot.id,
      user_id: Number(bot.token.split(':')[0]),
      username: bot.username,
      first_name: bot.name,
      text: 'Hello there',
      entities: [{ type: 'bold', offset: 6, length: 5 }],
      date: expect.any(Number),
      outgoing: true,
      account: 'admin',
      account_id: expect.any(Number),
    });
    expect((await list({ chat_id: PERSON })).json).toEqual([sent.json]);
    const shown = await api.platform.readChat({ person: PERSON, bot: platformId() });
    expect(shown.messages.at(-1)).toMatchObject({ text: 'Hello there' });
    const chats = await api.admin('GET', '/api/chats', { query: { bot_id: bot.id } });
    expect(chats.json).toEqual([expect.objectContaining({ id: PERSON, type: 'private', first_name: 'Ada' })]);
  });

  test('can answer another message', async () => {
    const first = (await send({ text: 'a question' })).json as MessageResource;
    const reply = await send({ text: 'an answer', reply_to_message_id: first.id });
    expect(reply.json).toMatchObject({ reply_to_message_id: first.id });
  });

  test('hands on what the platform refuses, and its 429 with its seconds', async () => {
    const refused = await send({ chat_id: 999, text: 'x' });
    expect(refused).toMatchObject({ status: 400, json: { code: 'platform_refused', error_code: 400 } });
    expect((refused.json as { error: string }).error).toContain('chat not found');
    const effect = { kind: 'status', status: 429, retryAfterS: 1 } as const;
    await api.platform.setFault({ method: 'sendMessage', effect, count: 1 });
    const flood = await send({ text: 'x' });
    expect([flood.status, flood.headers.get('retry-after')]).toEqual([429, '1']);
    // Until its time is over, Flotilla answers in the place of the platform.
    await waitFor(async () => (await send({ text: 'again' })).status === 200);
  });

  test('is 502 when the platform breaks off or answers garbage', async () => {
    for (const effect of [{ kind: 'reset' }, { kind: 'status', status: 502, body: 'Bad Gateway' }] as const) {
      await api.platform.setFault({ method: 'sendMessage', effect, count: 1 });
      expect((await send({ text: 'x' })).json).toMatchObject({ code: 'platform_failed' });
    }
  });
});

test('a message that a rule sent on says which rule it was, and where it went to those who see that chat', async () => {
  const { db } = api.database;
  const target = await api.addBot();
  const text = 'I want a refund';
  const at = { id: 900_001, chat_id: PERSON, date: 1_700_000_000 };
  await storeMessages(db, bot.id, [{ ...at, text }]);
  await storeMessages(db, target.id, [{ ...at, chat_id: GROUP, text }]);
  const condition = { condition_type: 'keyword', condition_value: 'refund', action: 'copy' };
  const route = { source_bot_id: bot.id, target_bot_id: target.id, target_chat_id: GROUP, ...condition };
  const { id } = (await api.admin('POST', '/api/routes/add', { body: route })).json as { id: number };
  const source = { source_bot_id: bot.id, source_chat_id: PERSON, source_message_id: at.id };
  const link = {
    ...source,
    target_bot_id: target.id,
    target_chat_id: GROUP,
    expires_at: new Date(Date.now() + 60_000),
  };
  const links = [
    { ...link, target_message_id: 7, route_id: id },
    { ...link, target_message_id: 8 },
  ];
  await db.insertInto('route_links').values(links).execute();
  const routedFor = async (client: RestClient) => {
    const query = { bot_id: bot.id, chat_id: PERSON, around: at.id };
    const rows = (await client('GET', '/api/messages', { query })).json as MessageResource[];
    return rows.find((message) => message.text === text)?.routed;
  };
  const went = { bot_id: target.id, bot_name: target.name, chat_id: GROUP };
  expect(await routedFor(api.admin)).toEqual([
    { route_id: id, route_name: 'refund', ...went, message_id: 7 },
    { ...went, message_id: 8 },
  ]);
  const user = await insertAccount(db, { username: 'sees-the-source', bots: [bot.id] });
  expect(await routedFor(restClient(api.url, user.key))).toEqual([{ route_id: id, route_name: 'refund' }, {}]);
});

describe('buttons under a message', () => {
  const KEYS = {
    inline_keyboard: [
      [
        { text: 'Yes', callback_data: 'yes' },
        { text: 'Site', url: 'https://a.example' },
      ],
    ],
  };

  test('are sent with it, and can be pressed', async () => {
    const sent = (await send({ text: 'Sure?', reply_markup: KEYS })).json as MessageResource;
    expect(sent).toHaveProperty('buttons');
    const shown = await api.platform.readChat({ person: PERSON, bot: platformId() });
    expect(shown.messages.at(-1)).toMatchObject({ reply_markup: KEYS });
    const press = { person: PERSON, bot: platformId(), messageId: sent.id, data: 'yes' };
    expect(await api.platform.pressButton(press)).toEqual({ queryId: expect.any(String) });
  });

  test.each([
    [{ inline_keyboard: [[{ text: 'a', callback_data: 'ж'.repeat(33) }]] }, 'must have at most 64 bytes'],
    [{ inline_keyboard: [[{ text: 'a' }]] }, 'must have exactly one of url, callback_data'],
    [{ inline_keyboard: [[{ text: '', url: 'https://a.example' }]] }, 'must not be empty'],
    [{ inline_keyboard: Array(101).fill([{ text: 'a', callback_data: 'a' }]) }, 'must have at most 100 entries'],
    [{ inline_keyboard: Array(9).fill(Array(12).fill({ text: 'a', callback_data: 'a' })) }, 'at most 100 buttons'],
    [{ inline_keyboard: [[{ text: 'a', calback_data: 'a' }]] }, 'has no calback_data'],
    [{ inline_keyboard: [], keyboard: [] }, 'must have exactly one of'],
    [{ force_reply: true, resize_keyboard: true }, 'does not go with force_reply'],
    [{}, 'must have exactly one of'],
    ['{"inline_keyboard":', 'must be an object'],
  ])('are refused before anything is sent: %j', async (reply_markup, reason) => {
    const refused = await send({ text: 'x', reply_markup });
    expect(refused).toMatchObject({ status: 400, json: { code: 'bad_request' } });
    expect((refused.json as { error: string }).error).toMatch(/^reply_markup/);
    expect((refused.json as { error: string }).error).toContain(reason);
  });

  test.each([
    { keyboard: [[{ text: 'Where am I?', request_location: true }]], input_field_placeholder: 'Choose' },
    { remove_keyboard: true, selective: true },
    { force_reply: true },
  ])('may be another kind of markup: %j', async (reply_markup) => {
    const sent = await send({ text: 'x', reply_markup });
    const keyboard = 'keyboard' in reply_markup ? { keyboard: [['Where am I?']] } : {};
    expect(sent).toMatchObject({ status: 200, json: keyboard });
  });
});

describe('editing a message', () => {
  const edit = (body: object) =>
    api.admin('POST', '/api/messages/edit', { body: { bot_id: bot.id, chat_id: PERSON, ...body } });
  const shownAtPlatform = async (id: number) => {
    const chat = await api.platform.readChat({ person: PERSON, bot: platformId() });
    return chat.messages.find(({ message_id }) => message_id === id);
  };

  test('changes text and buttons at the platform and in the history, with an audit entry', async () => {
    const sent = (await send({ text: 'On its wey' })).json as MessageResource;
    const reply_markup = { inline_keyboard: [[{ text: 'Where?', callback_data: 'where' }]] };
    const edited = await edit({ message_id: sent.id, text: '<b>On its way</b>', parse_mode: 'HTML', reply_markup });
    expect(edited.json).toMatchObject({ ...sent, text: 'On its way', edited_at: expect.any(String), outgoing: true });
    expect(await shownAtPlatform(sent.id)).toMatchObject({ text: 'On its way', reply_markup });
    expect((await list({ chat_id: PERSON, limit: 1 })).json).toEqual([edited.json]);
    const log = await api.admin('GET', '/api/adminlog', { query: { action: 'edit', chat_id: PERSON, bot_id: bot.id } });
    expect(log.json).toMatchObject([{ target_id: sent.id, actor_kind: 'key', actor_username: 'admin' }]);
  });

  test('changes the caption of a medium, which may become empty', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ chat_id: `${PERSON}`, caption: 'a cat' })) form.set(name, value);
    form.set('photo', new Blob(['a picture']), 'a.jpg');
    const url = `${api.url}/tgapi/bot${bot.token}/sendPhoto`;
    const { result } = (await (await fetch(url, { method: 'POST', body: form })).json()) as {
      result: { message_id: number };
    };
    const { db } = api.database;
    const row = { bot_id: bot.id, chat_id: PERSON, id: result.message_id, date: 1_700_000_000, media_type: 'photo' };
    await db
      .insertInto('messages')
      .values(row)
      .onConflict((known) => known.doNothing())
      .execute();
    expect((await edit({ message_id: result.message_id, text: 'a dog' })).json).toMatchObject({
      ...{ id: result.message_id, text: 'a dog', media_type: 'photo', file_id: expect.any(String) },
    });
    expect(await shownAtPlatform(result.message_id)).toMatchObject({ caption: 'a dog' });
    expect((await edit({ message_id: result.message_id, text: '' })).json).not.toHaveProperty('text');
  });

  test('hands on what the platform refuses: messages of others, of nobody, and no change', async () => {
    const theirs = await api.platform.sendMessage({ person: PERSON, bot: platformId(), text: 'mine' });
    const sent = (await send({ text: 'same' })).json as MessageResource;
    for (const [message_id, text, reason] of [
      [theirs.messageId, 'yours', "message can't be edited"],
      [999_999, 'x', 'message to edit not found'],
      [sent.id, 'same', 'message is not modified'],
      [sent.id, '', 'empty'],
    ] as const) {
      const refused = await edit({ message_id, text });
      expect(refused).toMatchObject({ status: 400, json: { code: 'platform_refused' } });
      expect((refused.json as { error: string }).error).toContain(reason);
    }
    expect((await list({ chat_id: PERSON, limit: 1 })).json).toMatchObject([{ id: sent.id, text: 'same' }]);
  });
});

describe('listing messages', () => {
  const rows = Array.from({ length: 25 }, (_, at) => ({
    bot_id: 0,
    chat_id: GROUP,
    id: at + 1,
    // Groups of five messages have the same second; then the higher id is newer.
    date: 1_700_000_000 + Math.floor(at / 5),
    text: `message ${at + 1}`,
  }));

  beforeAll(async () => {
    const { db } = api.database;
    await db
      .insertInto('messages')
      .values(rows.map((row) => ({ ...row, bot_id: bot.id })))
      .execute();
    const deleted = { bot_id: bot.id, chat_id: GROUP, id: 100, date: 1_700_000_100, deleted_at: new Date(0) };
    await db
      .insertInto('messages')
      .values({ ...deleted, text: 'gone' })
      .execute();
  });

  test('is newest first, by date and then by id', async () => {
    const answer = await list({ chat_id: GROUP });
    expect(idsOf(answer)).toEqual(rows.map(({ id }) => id).reverse());
    expect(answer.headers.get('x-total-count')).toBe('25');
    expect(nextOf(answer)).toBeUndefined();
  });

  test('leaves out what was deleted unless asked', async () => {
    const answer = await list({ chat_id: GROUP, include_deleted: 1, limit: 1 });
    expect(answer.json).toEqual([expect.objectContaining({ id: 100, deleted_at: '1970-01-01T00:00:00.000Z' })]);
    expect(answer.headers.get('x-total-count')).toBe('26');
  });

  test('pages by offset', async () => {
    expect(idsOf(await list({ chat_id: GROUP, limit: 10, offset: 20 }))).toEqual([5, 4, 3, 2, 1]);
    expect(idsOf(await list({ chat_id: GROUP, offset: 99 }))).toEqual([]);
  });

  test('pages by the cursor of its Link while messages are added', async () => {
    const chat = GROUP - 1;
    const { db } = api.database;
    const add = (id: number) =>
      db
        .insertInto('messages')
        .values({ bot_id: bot.id, chat_id: chat, id, date: 1_700_000_000 + (id >> 2) })
        .execute();
    for (let id = 1; id <= 12; id += 1) await add(id);
    let page = await list({ chat_id: chat, limit: 5, offset: 1 });
    const seen = idsOf(page);
    for (let id = 13; nextOf(page) !== undefined; id += 1) {
      await add(id);
      page = await api.admin('GET', nextOf(page) ?? '');
      seen.push(...idsOf(page));
    }
    expect(seen).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  describe('goes both ways', () => {
    const linkOf = (answer: RestAnswer, rel: string) =>
      new RegExp(`<([^>]+)>; rel="${rel}"`).exec(answer.headers.get('link') ?? '')?.[1];
    const follow = async (answer: RestAnswer, rel: string) => {
      const seen: number[][] = [];
      for (let link = linkOf(answer, rel); link !== undefined; link = linkOf(answer, rel)) {
        answer = await api.admin('GET', link);
        seen.push(idsOf(answer));
      }
      return seen;
    };

    test('from the middle, with the message in it', async () => {
      const answer = await list({ chat_id: GROUP, around: 12, limit: 5 });
      expect([idsOf(answer), answer.headers.get('x-total-count')]).toEqual([[14, 13, 12, 11, 10], '25']);
      expect(await follow(answer, 'prev')).toEqual([[19, 18, 17, 16, 15], [24, 23, 22, 21, 20], [25]]);
      expect(await follow(answer, 'next')).toEqual([
        [9, 8, 7, 6, 5],
        [4, 3, 2, 1],
      ]);
    });

    test('from either end, where the other side fills the page', async () => {
      const newest = await list({ chat_id: GROUP, around: 25, limit: 5 });
      expect([idsOf(newest), linkOf(newest, 'prev')]).toEqual([[25, 24, 23, 22, 21], undefined]);
      const oldest = await list({ chat_id: GROUP, around: 1, limit: 5 });
      expect([idsOf(oldest), linkOf(oldest, 'next')]).toEqual([[3, 2, 1], undefined]);
      expect(idsOf(await list({ chat_id: GROUP, around: 7, limit: 1 }))).toEqual([7]);
    });

    test('after a message or a cursor, over equal dates', async () => {
      const after = await list({ chat_id: GROUP, after: 19, limit: 4 });
      expect([idsOf(after), await follow(after, 'prev')]).toEqual([[23, 22, 21, 20], [[25, 24]]]);
      expect((await follow(after, 'next'))[0]).toEqual([19, 18, 17, 16]);
      const none = await list({ chat_id: GROUP, after: 25 });
      expect([idsOf(none), none.headers.get('link')]).toEqual([[], null]);
    });

    test('among those that match, also from a message that does not', async () => {
      const query = { chat_id: GROUP, from: 1_700_000_001, to: 1_700_000_003, limit: 4 };
      const answer = await list({ ...query, around: 2 });
      expect([idsOf(answer), answer.headers.get('x-total-count')]).toEqual([[6], '15']);
      expect((await follow(answer, 'prev')).flat().sort((a, b) => a - b)).toEqual(
        rows.slice(6, 20).map(({ id }) => id),
      );
      expect(idsOf(await list({ chat_id: GROUP, around: 100, limit: 3 }))).toEqual([25, 24, 23]);
      const deleted = await list({ chat_id: GROUP, around: 100, limit: 3, include_deleted: 1 });
      expect(idsOf(deleted)).toEqual([100, 25, 24]);
    });

    test('while messages arrive: no page moves', async () => {
      const chat = GROUP - 3;
      const { db } = api.database;
      const add = (id: number) =>
        db
          .insertInto('messages')
          .values({ bot_id: bot.id, chat_id: chat, id, date: 1_700_000_000 + (id >> 2) })
          .execute();
      for (let id = 1; id <= 12; id += 1) await add(id);
      let page = await list({ chat_id: chat, around: 2, limit: 3 });
      const seen = [...idsOf(page)];
      for (let id = 13; id < 16 || linkOf(page, 'prev') !== undefined; id += 1) {
        if (id < 16) await add(id);
        page = await api.admin('GET', linkOf(page, 'prev') ?? '');
        seen.unshift(...idsOf(page));
      }
      expect(seen).toEqual([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    });

    test('in a chat of a business connection, whose ids are of their own', async () => {
      const { db } = api.database;
      const row = { bot_id: bot.id, chat_id: 4711, business_connection_id: 'bc' };
      for (const id of [1, 2, 3])
        await db
          .insertInto('messages')
          .values({ ...row, id, date: 1_700_000_000 + id })
          .execute();
      expect(idsOf(await list({ chat_id: 4711, around: 2 }))).toEqual([3, 2, 1]);
    });

    test.each([
      [{ around: 999 }, 404, undefined],
      [{ after: '9'.repeat(16) }, 404, undefined],
      [{ after: 'W10' }, 400, 'after'],
      [{ after: 3, around: 3 }, 400, 'around'],
      [{ after: 3, before: 'W10' }, 400, 'after'],
      [{ around: 3, offset: 1 }, 400, 'offset'],
    ])('refuses %j', async (query, status, path) => {
      const answer = await list({ chat_id: GROUP, ...query });
      expect(answer.status).toBe(status);
      if (path !== undefined) expect(answer.json).toMatchObject({ details: [{ path }] });
    });
  });

  test('is taken back as it was listed by what acts on a message', async () => {
    const sentOne = (
      await api.admin('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id: PERSON, text: 'as listed' } })
    ).json as {
      id: number;
    };
    const act = (what: string, fields: object) =>
      api.admin('POST', `/api/messages/${what}`, { body: { ...sentOne, message_id: sentOne.id, ...fields } });
    expect((await act('edit', { text: 'edited' })).status).toBe(200);
    for (const what of ['pin', 'unpin', 'delete']) expect((await act(what, {})).status).toBe(200);
  });

  test('lowers a limit above the maximum, and takes ids as decimal strings', async () => {
    const many = Array.from({ length: 230 }, (_, at) => ({ bot_id: bot.id, chat_id: 5, id: at + 1, date: at }));
    await api.database.db.insertInto('messages').values(many).execute();
    expect(idsOf(await list({ chat_id: '5', limit: '100000' }))).toHaveLength(200);
    expect(idsOf(await list({ chat_id: '5' }))).toHaveLength(50);
  });

  test('is narrowed by user, medium and time, with totals and cursors of what is left', async () => {
    const chat = GROUP - 2;
    const { db } = api.database;
    const mixed = Array.from({ length: 60 }, (_, at) => ({
      ...{ bot_id: bot.id, chat_id: chat, id: at + 1, date: 1_700_000_000 + at },
      ...{ user_id: at % 2 === 0 ? PERSON : GROUP, media_type: at % 3 === 0 ? 'photo' : null },
    }));
    await db.insertInto('messages').values(mixed).execute();
    const find = async (query: Record<string, string | number>) => {
      const answer = await list({ chat_id: chat, limit: 4, ...query });
      return [idsOf(answer), answer.headers.get('x-total-count')];
    };
    expect(await find({ user_id: PERSON })).toEqual([[59, 57, 55, 53], '30']);
    expect(await find({ user_id: GROUP, media_type: 'photo' })).toEqual([[58, 52, 46, 40], '10']);
    expect(await find({ from: 1_700_000_057 })).toEqual([[60, 59, 58], '3']);
    expect(await find({ from: '2023-11-14T22:13:21Z', to: '2023-11-14T23:13:22+01:00' })).toEqual([[3, 2], '2']);
    expect(await find({ media_type: 'voice' })).toEqual([[], '0']);
    let page = await list({ chat_id: chat, limit: 4, user_id: PERSON, media_type: 'photo', to: 1_700_000_050 });
    const seen = idsOf(page);
    while (nextOf(page) !== undefined) {
      page = await api.admin('GET', nextOf(page) ?? '');
      expect(page.headers.get('x-total-count')).toBe('9');
      seen.push(...idsOf(page));
    }
    expect(seen).toEqual([49, 43, 37, 31, 25, 19, 13, 7, 1]);
    expect(await list({ chat_id: chat, from: 'yesterday' })).toMatchObject({
      status: 400,
      json: { details: [{ path: 'from' }] },
    });
    const exported = await api.admin('GET', '/api/messages/export', {
      query: { bot_id: bot.id, chat_id: chat, user_id: PERSON, to: 1_700_000_004 },
    });
    expect(
      exported.text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as MessageResource).id),
    ).toEqual([5, 3, 1]);
  });

  test('is empty for a chat that is not tracked', async () => {
    const answer = await list({ chat_id: 404 });
    expect([answer.status, answer.json, answer.headers.get('x-total-count')]).toEqual([200, [], '0']);
  });
});

describe('listing chats', () => {
  test('finds a part of any name, in any case, and nothing by a wildcard', async () => {
    const { db } = api.database;
    const known = await api.platform.createBot({});
    const other = (await api.admin('POST', '/api/bots/add', { body: { token: known.token } })).json as BotResource;
    const chats = [
      { id: -3, type: 'group', title: 'Больница', search_name: 'больница' },
      { id: -2, type: 'supergroup', title: '100% sure', username: 'SureGroup', search_name: '100% sure\nsuregroup' },
      { id: 4, type: 'private', first_name: 'Grace', last_name: 'Hopper', search_name: 'grace hopper' },
    ];
    await db
      .insertInto('chats')
      .values(chats.map((chat) => ({ ...chat, bot_id: other.id, message_count: 0 })))
      .execute();
    const find = async (query: Record<string, string | number>) =>
      ((await api.admin('GET', '/api/chats', { query: { bot_id: other.id, ...query } })).json as ChatResource[]).map(
        ({ id }) => id,
      );
    expect(await find({})).toEqual([-3, -2, 4]);
    expect(await find({ q: 'БОЛЬ' })).toEqual([-3]);
    expect(await find({ q: 'suregr' })).toEqual([-2]);
    expect(await find({ q: 'hopp' })).toEqual([4]);
    expect(await find({ q: 'grace ho' })).toEqual([4]);
    expect(await find({ type: 'private' })).toEqual([4]);
    expect(await find({ type: 'group', q: 'hopp' })).toEqual([]);
    const groups = await api.admin('GET', '/api/chats', { query: { bot_id: other.id, type: 'supergroup', limit: 1 } });
    expect([groups.headers.get('x-total-count'), nextOf(groups)]).toEqual(['1', undefined]);
    const people = await api.admin('GET', '/api/chats', { query: { bot_id: other.id, type: 'private' } });
    expect(people.json).toMatchObject([{ title: 'Grace Hopper', first_name: 'Grace', last_name: 'Hopper' }]);
    expect(await find({ q: '%' })).toEqual([-2]);
    expect(await find({ q: '_' })).toEqual([]);
    expect(await find({ limit: 1, offset: 1 })).toEqual([-2]);
    const first = await api.admin('GET', '/api/chats', { query: { bot_id: other.id, limit: 2 } });
    const rest = await api.admin('GET', nextOf(first) ?? '');
    expect((rest.json as ChatResource[]).map(({ id }) => id)).toEqual([4]);
    expect(rest.headers.get('x-total-count')).toBe('3');
  });
});
