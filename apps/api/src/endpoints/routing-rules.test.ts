import type { BotResource } from '@flotilla/contract/bots.ts';
import type { RoutingRuleResource } from '@flotilla/contract/routing-rules.ts';
import { botStore } from '@flotilla/domain/fleet/bots/bot-store.ts';
import { waitingForLocks } from '@flotilla/testing/locked-table.ts';
import { type RestAnswer, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const TARGET_CHAT = -1_002_000_000_002;
const NO_SUCH_ID = 999_999;

const api = testApi();
let source: BotResource;
let target: BotResource;

beforeAll(async () => {
  [source, target] = [await api.addBot(), await api.addBot()];
});

const add = (fields: object = {}, client = api.admin) =>
  client('POST', '/api/routes/add', {
    body: {
      source_bot_id: source.id,
      target_bot_id: target.id,
      condition_type: 'all',
      action: 'copy',
      target_chat_id: TARGET_CHAT,
      ...fields,
    },
  });
const update = (body: object, client = api.admin) => client('POST', '/api/routes/update', { body });
const list = async (client = api.admin, query: object = {}) =>
  client('GET', '/api/routes', { query: { bot_id: source.id, ...query } });
const added = async (fields: object = {}) => (await add(fields)).json as RoutingRuleResource;
const faultsOf = (answer: RestAnswer) => {
  expect(answer).toMatchObject({ status: 400, json: { code: 'bad_request' } });
  return (answer.json as { details: { path: string }[] }).details.map(({ path }) => path);
};

describe('a routing rule', () => {
  test.each([
    ['update', { description: 'x' }],
    ['delete', {}],
  ])('is gone for who wants to %s it while a bot of it is deleted', async (act, fields) => {
    const { id: leaving } = await api.addBot();
    const { id } = await added({ target_bot_id: leaving });
    let answering: Promise<RestAnswer> | undefined;
    await api.database.db.transaction().execute(async (db) => {
      const bots = botStore(db);
      await bots.lock(leaving);
      answering = api.admin('POST', `/api/routes/${act}`, { body: { id, ...fields } });
      await waitFor(async () => (await waitingForLocks(api.database.db)) === 1);
      await bots.remove(leaving);
    });
    expect(await answering).toMatchObject({ status: 404 });
  });

  test('is added, listed in id order, and deleted', async () => {
    const first = await add({ condition_type: 'keyword', condition_value: 'help me', description: 'To the desk' });
    expect(first.json).toEqual({
      id: expect.any(Number),
      source_bot_id: source.id,
      target_bot_id: target.id,
      condition_type: 'keyword',
      condition_value: 'help me',
      action: 'copy',
      target_chat_id: TARGET_CHAT,
      enabled: true,
      delivery: 'at_least_once',
      description: 'To the desk',
      target_bot_name: target.name,
      hits: 0,
      last_hit_at: null,
      created_at: expect.stringMatching(/Z$/),
    });
    const second = await added({ enabled: false });
    expect((await list()).json).toEqual([first.json, second]);
    const query = { source_bot_id: source.id };
    expect((await api.admin('GET', '/api/routes', { query })).json).toEqual([first.json, second]);
    expect((await list(api.admin, { bot_id: target.id })).json).toEqual([]);
    const { id } = first.json as RoutingRuleResource;
    const remove = () => api.admin('POST', '/api/routes/delete', { body: { id } });
    expect((await remove()).json).toEqual({ ok: true });
    expect((await list()).json).toEqual([second]);
    expect(await remove()).toMatchObject({ status: 404, json: { error: 'Route not found' } });
  });

  test('needs no target to drop, and its opposite may exist', async () => {
    const drop = { target_bot_id: undefined, target_chat_id: undefined, action: 'drop' };
    const dropped = await added(drop);
    expect(dropped).toMatchObject({ action: 'drop', target_bot_id: source.id });
    expect(dropped).not.toHaveProperty('target_chat_id');
    const there = { condition_type: 'chat_id', condition_value: 5, target_chat_id: 6 };
    const back = { ...there, condition_value: 6, target_chat_id: 5 };
    expect((await add(there)).json).toMatchObject({ condition_value: '5' });
    expect((await add({ ...back, source_bot_id: target.id, target_bot_id: source.id })).status).toBe(200);
  });

  test('that drops has its source as its target, also after its source or its action has changed', async () => {
    const drop = await added({ action: 'drop' });
    expect(drop.target_bot_id).toBe(source.id);
    expect((await update({ id: drop.id, source_bot_id: target.id })).json).toMatchObject({ target_bot_id: target.id });
    const copy = await added();
    expect((await update({ id: copy.id, action: 'drop' })).json).toMatchObject({ target_bot_id: source.id });
  });

  test.each([
    ['no target', { target_bot_id: undefined, target_chat_id: undefined }, ['target_bot_id', 'target_chat_id']],
    ['no target chat', { action: 'forward', target_chat_id: null }, ['target_chat_id']],
    ['no action', { action: undefined }, ['action']],
    ['a broken expression', { condition_type: 'text', condition_value: '(a' }, ['condition_value']],
    ['a back-reference', { condition_type: 'text', condition_value: '(a)\\1' }, ['condition_value']],
    [
      'an expression beyond measure',
      { condition_type: 'text', condition_value: 'a{1000}'.repeat(70) },
      ['condition_value'],
    ],
    ['an empty expression', { condition_type: 'text', condition_value: '' }, ['condition_value']],
    ['a blank keyword', { condition_type: 'keyword', condition_value: ' ' }, ['condition_value']],
    ['a chat that is no id', { condition_type: 'chat_id', condition_value: '@name' }, ['condition_value']],
    ['a user id beyond 2^53', { condition_type: 'user_id', condition_value: '9007199254740993' }, ['condition_value']],
    ['a condition there is not', { condition_type: 'magic' }, ['condition_type']],
    ['a delay', { delay: 5 }, ['delay']],
  ])('is refused with %s', async (_title, fields, paths) => {
    expect(faultsOf(await add(fields))).toEqual(paths);
  });

  test('is refused where its target is its own source, when added and when updated', async () => {
    const own = { target_bot_id: source.id, condition_type: 'chat_id', condition_value: String(TARGET_CHAT) };
    expect(faultsOf(await add(own))).toEqual(['target_chat_id']);
    const rule = await added({ ...own, target_chat_id: TARGET_CHAT - 1 });
    expect(faultsOf(await update({ id: rule.id, target_chat_id: TARGET_CHAT }))).toEqual(['target_chat_id']);
  });

  test('is found by its target, too, by whoever sees its source', async () => {
    const far = await api.addBot();
    const rule = await added({ target_bot_id: far.id });
    const find = async (query: object, client = api.admin) =>
      ((await client('GET', '/api/routes', { query: { ...query } })).json as RoutingRuleResource[]).map(({ id }) => id);
    expect(await find({ target_bot_id: far.id })).toEqual([rule.id]);
    expect(await find({ source_bot_id: source.id, target_bot_id: far.id })).toEqual([rule.id]);
    expect(await find({ source_bot_id: far.id, target_bot_id: far.id })).toEqual([]);
    const ofTarget = await insertAccount(api.database.db, { username: 'of-target', bots: [far.id] });
    expect(await find({ target_bot_id: far.id }, restClient(api.url, ofTarget.key))).toEqual([]);
    expect(faultsOf(await api.admin('GET', '/api/routes'))).toEqual(['bot_id']);
  });

  test('may send to the chat of the source by another bot, and not by the source itself', async () => {
    expect((await add({ target_chat_id: 0 })).json).toMatchObject({ target_chat_id: 0 });
    expect(faultsOf(await add({ target_chat_id: 0, target_bot_id: source.id }))).toEqual(['target_chat_id']);
  });

  test('is refused where no bot can ever write: to a bot of ours, and to an id that no chat has', async () => {
    const itself = Number(target.token.split(':')[0]);
    for (const chat of [itself, Number(source.token.split(':')[0]), 2 ** 52 + 1]) {
      expect(faultsOf(await add({ target_chat_id: chat }))).toEqual(['target_chat_id']);
    }
    const rule = await added();
    const refused = await update({ id: rule.id, target_chat_id: itself });
    expect(refused.json).toMatchObject({ error: 'target_chat_id is a bot, and bots cannot write to bots' });
  });

  test('says which bot is not there', async () => {
    for (const fields of [{ source_bot_id: NO_SUCH_ID }, { target_bot_id: NO_SUCH_ID }]) {
      expect(await add(fields)).toMatchObject({ status: 404, json: { error: 'Bot not found' } });
    }
  });

  test('is updated in what is named, and takes back what was listed', async () => {
    const rule = await added({ condition_type: 'keyword', condition_value: 'a' });
    const changed = await update({ id: rule.id, enabled: '0', condition_value: 'b' });
    expect(changed.json).toEqual({ ...rule, enabled: false, condition_value: 'b' });
    expect((await update(rule)).json).toEqual(rule);
    expect(faultsOf(await update({ id: rule.id, condition_type: 'text', condition_value: '[' }))).toEqual([
      'condition_value',
    ]);
    expect(faultsOf(await update({ id: rule.id, target_chat_id: null }))).toEqual(['target_chat_id']);
    const dropping = await update({ id: rule.id, target_chat_id: null, action: 'drop' });
    expect(dropping.json).not.toHaveProperty('target_chat_id');
    expect(await update({ id: NO_SUCH_ID, enabled: true })).toMatchObject({ json: { error: 'Route not found' } });
  });

  test('goes with its source and with its target', async () => {
    const gone = await api.addBot();
    const rule = await added({ target_bot_id: gone.id });
    await api.admin('POST', '/api/bots/delete', { body: { id: gone.id } });
    const ids = ((await list()).json as RoutingRuleResource[]).map(({ id }) => id);
    expect(ids).not.toContain(rule.id);
  });
});

describe('the order of rules', () => {
  const reorder = (bot_id: number, ids: number[], client = api.admin) =>
    client('POST', '/api/routes/reorder', { body: { bot_id, ids } });

  test('is that of their ids until somebody changes it; rules that are added later run after them', async () => {
    const bot = await api.addBot();
    const drop = (value: string) =>
      added({ source_bot_id: bot.id, condition_type: 'keyword', condition_value: value, action: 'drop' });
    const [a, b, c] = [await drop('a'), await drop('b'), await drop('c')];
    const idsOf = (answer: RestAnswer) => (answer.json as RoutingRuleResource[]).map(({ id }) => id);
    const listed = async (query: object = {}) => idsOf(await list(api.admin, { bot_id: bot.id, ...query }));
    expect(await listed()).toEqual([a.id, b.id, c.id]);
    expect(idsOf(await reorder(bot.id, [c.id, a.id, b.id]))).toEqual([c.id, a.id, b.id]);
    const d = await drop('d');
    expect(await listed()).toEqual([c.id, a.id, b.id, d.id]);
    const first = await list(api.admin, { bot_id: bot.id, limit: 2 });
    const before = /[?&]before=([^&>]+)/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect([idsOf(first), await listed({ limit: 2, before })]).toEqual([
      [c.id, a.id],
      [b.id, d.id],
    ]);
    const message = { message_id: 1, chat: { id: 5, type: 'private' }, text: 'a b c d' };
    const tried = await api.admin('POST', '/api/routes/try', { body: { bot_id: bot.id, message } });
    expect((tried.json as { route_id: number; matches: boolean }[]).map((one) => one.route_id)).toEqual([
      ...[c.id, a.id, b.id, d.id],
    ]);
    const [entry] = (await api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id, action: 'route_reorder' } }))
      .json as { details: string }[];
    expect(entry?.details).toContain(`${c.id}`);
  });

  test('is refused unless each rule of the bot is named once', async () => {
    const bot = await api.addBot();
    const rule = await added({ source_bot_id: bot.id, condition_type: 'all', action: 'drop' });
    const foreign = await added();
    for (const ids of [[], [rule.id, rule.id], [foreign.id], [rule.id, foreign.id]]) {
      expect([ids, (await reorder(bot.id, ids)).status]).toEqual([ids, 409]);
    }
    const user = await insertAccount(api.database.db, { username: 'reorders', bots: [bot.id] });
    expect((await reorder(bot.id, [rule.id], restClient(api.url, user.key))).status).toBe(403);
  });
});

test('rules name the chats, topics and people that they are about, and the bot that sends if the caller sees it', async () => {
  const [from, to] = [await api.addBot(), await api.addBot()];
  const { db } = api.database;
  const group = { bot_id: from.id, id: TARGET_CHAT, type: 'supergroup', title: 'Desk' };
  await db
    .insertInto('chats')
    .values([group, { ...group, bot_id: to.id, title: 'Accountants' }])
    .execute();
  const forum = { bot_id: from.id, chat_id: TARGET_CHAT };
  await db
    .insertInto('topics')
    .values({ ...forum, thread_id: 120, name: 'Refunds' })
    .execute();
  await db
    .insertInto('chat_users')
    .values({ ...forum, user_id: 77, first_name: 'Ada' })
    .execute();
  const conditions = [
    ['chat_id', String(TARGET_CHAT)],
    ['thread_id', `${TARGET_CHAT}:120`],
    ['user_id', '77'],
    ['user_id', '404'],
  ];
  for (const [condition_type, condition_value] of conditions) {
    await added({ source_bot_id: from.id, target_bot_id: to.id, condition_type, condition_value });
  }
  const namesOf = async (client = api.admin) =>
    ((await list(client, { bot_id: from.id })).json as RoutingRuleResource[]).map((rule) => [
      rule.condition_name,
      rule.target_bot_name,
      rule.target_chat_title,
    ]);
  const sent = [to.name, 'Accountants'];
  expect(await namesOf()).toEqual([
    ['Desk', ...sent],
    ['Desk · Refunds', ...sent],
    ['Ada', ...sent],
    [undefined, ...sent],
  ]);
  const owner = await insertAccount(db, { username: 'sees-the-source', bots: [from.id] });
  expect((await namesOf(restClient(api.url, owner.key)))[0]).toEqual(['Desk', undefined, undefined]);
});

describe('routing rules and who may touch them', () => {
  test('users read those of their bots and change none', async () => {
    const { db } = api.database;
    const owner = restClient(api.url, (await insertAccount(db, { username: 'owner', bots: [source.id] })).key);
    const stranger = restClient(api.url, (await insertAccount(db, { username: 'stranger', bots: [target.id] })).key);
    const all = (await list()).json as RoutingRuleResource[];
    // They see neither the name nor the id of another bot that sends.
    const seen = all.map(({ target_bot_name: name, ...rule }) =>
      rule.target_bot_id === source.id ? { ...rule, target_bot_name: name } : { ...rule, target_bot_id: 0 },
    );
    expect((await list(owner)).json).toEqual(seen);
    expect((await list(stranger)).status).toBe(403);
    expect((await add({}, owner)).status).toBe(403);
    expect((await update({ id: 1 }, owner)).status).toBe(403);
  });

  test('a key of an admin that is limited to some bots changes only rules between these', async () => {
    const made = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'limited', bot_ids: [source.id] } });
    const limited = restClient(api.url, (made.json as { key: string }).key);
    const across = await added();
    const within = await added({ target_bot_id: source.id });
    expect((await add({}, limited)).status).toBe(403);
    expect((await update({ id: across.id, enabled: false }, limited)).status).toBe(403);
    expect((await limited('POST', '/api/routes/delete', { body: { id: across.id } })).status).toBe(403);
    expect((await update({ id: within.id, target_bot_id: target.id }, limited)).status).toBe(403);
    expect((await update({ id: within.id, enabled: false }, limited)).status).toBe(200);
  });

  test('lists page by offset and cursor', async () => {
    const bot = await api.addBot();
    const ids: number[] = [];
    for (let at = 0; at < 5; at += 1) ids.push((await added({ source_bot_id: bot.id })).id);
    const page = async (query: object) => list(api.admin, { bot_id: bot.id, ...query });
    const idsOf = (answer: RestAnswer) => (answer.json as RoutingRuleResource[]).map(({ id }) => id);
    expect(idsOf(await page({ limit: 2, offset: 3 }))).toEqual(ids.slice(3));
    const first = await page({ limit: 3 });
    expect(first.headers.get('x-total-count')).toBe('5');
    const next = /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect([...idsOf(first), ...idsOf(await api.admin('GET', next))]).toEqual(ids);
  });
});

describe('trying a message', () => {
  let bot: BotResource;
  const tried = async (message: object, client = api.admin) => {
    const answer = await client('POST', '/api/routes/try', { body: { bot_id: bot.id, message } });
    expect(answer.status).toBe(200);
    return (answer.json as { matches: boolean; reason?: string }[]).map((rule) => (rule.matches ? true : rule.reason));
  };
  const chat = { id: 777, type: 'private' };
  const message = { message_id: 1, from: { id: 777 }, chat, text: 'I want a refund' };

  beforeAll(async () => {
    bot = await api.addBot();
    const rule = (fields: object) => added({ source_bot_id: bot.id, ...fields });
    await rule({ condition_type: 'keyword', condition_value: 'refund' });
    await rule({ condition_type: 'text', condition_value: '^refund' });
    await rule({ condition_type: 'chat_id', condition_value: '777', enabled: false });
    await rule({ target_chat_id: 777 });
    await rule({ target_bot_id: bot.id, target_chat_id: 777 });
    await rule({ condition_type: 'user_id', condition_value: '777', action: 'drop', target_chat_id: undefined });
    await rule({});
  });

  test('tells of each rule whether it would act, and if not, why', async () => {
    const expected = [true, 'condition', 'disabled', true, 'same_chat', true, 'dropped_before'];
    expect(await tried(message)).toEqual(expected);
    expect(await tried({ update_id: 1, message })).toEqual(expected);
    expect(await tried({ ...message, from: { id: 5 } })).toEqual([...expected.slice(0, 5), 'condition', true]);
    const posted = { ...message, chat: { id: -1_009, type: 'channel' }, text: 'news' };
    expect(await tried({ update_id: 1, channel_post: posted })).toContain('dropped_before');
  });

  test('tells when no rule acts: other kinds, messages of our own bots, a bot that is off', async () => {
    const all = (reason: string) => Array(7).fill(reason);
    expect(await tried({ update_id: 1, edited_message: message })).toEqual(all('other_kind'));
    const ours = Number(bot.token.split(':')[0]);
    expect(await tried({ ...message, from: { id: ours, is_bot: true } })).toEqual(all('own_message'));
    // A person sent what an inline bot of ours offered.
    const offered = { ...message, via_bot: { id: ours, is_bot: true } };
    expect(await tried(offered)).toEqual(await tried(message));
    await api.admin('POST', '/api/bots/update', { body: { id: bot.id, manage_enabled: false } });
    expect(await tried(message)).toEqual(all('bot_off'));
    await api.admin('POST', '/api/bots/update', { body: { id: bot.id, manage_enabled: true } });
  });

  test('is open to a user who has the bot, and changes nothing', async () => {
    const { key } = await insertAccount(api.database.db, { username: 'tries', bots: [bot.id] });
    const before = (await list(api.admin, { bot_id: bot.id })).json;
    expect((await tried(message, restClient(api.url, key)))[0]).toBe(true);
    expect((await list(api.admin, { bot_id: bot.id })).json).toEqual(before);
  });

  test('tries a rule before it is saved: in the place of another, or after all others', async () => {
    const [, regex] = ((await list(api.admin, { bot_id: bot.id })).json as RoutingRuleResource[]).map(({ id }) => id);
    const drafted = (rule: object, client = api.admin, given: object = { ...message, from: { id: 5 } }) =>
      client('POST', '/api/routes/try', { body: { bot_id: bot.id, message: given, rule } });
    const draft = { condition_type: 'keyword', condition_value: 'want', action: 'drop' };
    const [at, last] = [await drafted({ id: regex, ...draft }), await drafted(draft)];
    expect((at.json as object[])[1]).toEqual({ route_id: regex, matches: true, action: 'drop' });
    expect((at.json as object[])[3]).toMatchObject({ reason: 'dropped_before' });
    expect((last.json as object[]).slice(7)).toEqual([{ route_id: 0, matches: true, action: 'drop' }]);
    expect(faultsOf(await drafted({ ...draft, condition_type: 'text', condition_value: '[' }))).toEqual([
      'rule.condition_value',
    ]);
    expect(faultsOf(await drafted({ ...draft, source_bot_id: target.id }))).toEqual(['rule']);
    expect((await drafted({ ...draft, id: NO_SUCH_ID })).status).toBe(404);
    const { key } = await insertAccount(api.database.db, { username: 'drafts', bots: [bot.id] });
    const user = restClient(api.url, key);
    expect((await drafted(draft, user)).status).toBe(200);
    const made = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'drafts', bot_ids: [bot.id] } });
    const limited = restClient(api.url, (made.json as { key: string }).key);
    expect((await drafted(draft, limited)).status).toBe(200);
    const through = { ...draft, action: 'copy', target_bot_id: target.id, target_chat_id: TARGET_CHAT };
    for (const client of [limited, user]) expect((await drafted(through, client)).status).toBe(403);
    expect(faultsOf(await drafted({ ...through, condition_type: 'llm', target_bot_id: 0 }, limited))).toEqual([
      'candidate_bot_ids',
    ]);
    expect((await list(api.admin, { bot_id: bot.id })).json).toHaveLength(7);
  });

  test('refuses what is no message, is too deep, or has a text that no message can have', async () => {
    const refused = async (given: unknown, by: object = { body: { bot_id: bot.id, message: given } }) =>
      faultsOf(await api.admin('POST', '/api/routes/try', by));
    expect(await refused({ text: 'no chat' })).toEqual(['message']);
    expect(await refused({ ...message, text: 'x'.repeat(4097) })).toEqual(['message']);
    expect(await refused({ ...message, chat: { id: 2 ** 53 } })).toEqual(['message']);
    const deep = `{"chat":{},"rich_message":{"blocks":${'['.repeat(5000)}${']'.repeat(5000)}}}`;
    expect(await refused(null, { query: { bot_id: bot.id, message: deep } })).toEqual(['message']);
  });
});
