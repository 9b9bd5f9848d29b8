import type { BotResource } from '@flotilla/contract/bots.ts';
import type { RoutingRuleResource } from '@flotilla/contract/routing-rules.ts';
import { attemptLine } from '@flotilla/domain/records/journal/attempt-line.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { choose, type ModelServer, startModelServer } from '@flotilla/testing/model-server.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const api = testApi();
let model: ModelServer;
/** An api with a model, which may be asked four times a day for each bot, and as often to try rules. */
let withModelPod: { url: string };
let withModel: RestClient;
let source: BotResource;
let shop: BotResource;
let desk: BotResource;
let silent: BotResource;

beforeAll(async () => {
  model = await startModelServer((question) => choose(question, 'Desk', 'it is about money'));
  const settings = {
    LLM_API_URL: model.url,
    LLM_MODEL: 'small',
    LLM_CALLS_PER_BOT_DAY: '4',
    LLM_ALLOWED_CIDRS: '127.0.0.0/8',
  };
  withModelPod = await api.startPod(settings);
  withModel = restClient(withModelPod.url, api.env.ADMIN_API_KEY as string);
  source = await api.addBot();
  shop = await api.addBot({ name: 'Shop', description: 'Orders, parcels and their delivery' });
  desk = await api.addBot({ name: 'Desk', description: 'Invoices and refunds' });
  silent = await api.addBot({ name: 'Silent' });
});
afterAll(() => model?.stop());

const add = (fields: object = {}, client = api.admin) =>
  client('POST', '/api/routes/add', {
    body: {
      source_bot_id: source.id,
      target_bot_id: 0,
      condition_type: 'llm',
      action: 'copy',
      target_chat_id: 0,
      ...fields,
    },
  });
const remove = (answer: RestAnswer) =>
  api.admin('POST', '/api/routes/delete', { body: { id: (answer.json as RoutingRuleResource).id } });
const faultsOf = (answer: RestAnswer) => {
  expect(answer).toMatchObject({ status: 400, json: { code: 'bad_request' } });
  return (answer.json as { details: { path: string }[] }).details.map(({ path }) => path);
};
const tryText = async (client: RestClient, text: string) =>
  (
    await client('POST', '/api/routes/try', {
      body: { bot_id: source.id, message: { message_id: 1, chat: { id: 42, type: 'private' }, text } },
    })
  ).json as { route_id: number; matches: boolean; reason?: string; decision?: object }[];

describe('a rule of the router', () => {
  test('names its candidates, or none', async () => {
    const open = await add();
    expect(open.json).toMatchObject({ target_bot_id: 0, candidate_bot_ids: null, condition_value: '' });
    const named = await add({ candidate_bot_ids: `${shop.id},${desk.id}`, condition_value: 'Prefer the shop' });
    expect(named.json).toMatchObject({ candidate_bot_ids: [shop.id, desk.id], condition_value: 'Prefer the shop' });
    const listed = await api.admin('GET', '/api/routes', { query: { bot_id: source.id } });
    expect(listed.json).toEqual([open.json, named.json]);
    const { id } = named.json as RoutingRuleResource;
    const changed = await api.admin('POST', '/api/routes/update', {
      body: { id, target_bot_id: desk.id, candidate_bot_ids: null },
    });
    expect(changed.json).toMatchObject({ target_bot_id: desk.id });
    expect(changed.json).not.toHaveProperty('candidate_bot_ids');
    await Promise.all([open, named].map(remove));
  });

  test.each([
    ['the action drop', { action: 'drop' }, ['action']],
    ['no candidate', { candidate_bot_ids: [] }, ['candidate_bot_ids']],
    ['a candidate that is not there', { candidate_bot_ids: [999_999] }, ['candidate_bot_ids']],
    ['the router of another condition', { condition_type: 'all' }, ['target_bot_id']],
    ['no target chat', { target_chat_id: undefined }, ['target_chat_id']],
    ['51 candidates', { candidate_bot_ids: Array.from({ length: 51 }, (_, at) => at + 1) }, ['candidate_bot_ids']],
  ])('is refused with %s', async (_title, fields, paths) => {
    expect(faultsOf(await add(fields))).toEqual(paths);
  });

  test('can be changed after a candidate was deleted or lost its description, which cannot be named anew', async () => {
    const [gone, quiet] = await Promise.all(
      ['gone', 'quiet'].map((name) => api.addBot({ name, description: 'Something' })),
    );
    const named = [gone?.id, quiet?.id];
    const added = await add({ candidate_bot_ids: [...named, desk.id] });
    const { id } = added.json as RoutingRuleResource;
    await api.admin('POST', '/api/bots/delete', { body: { id: gone?.id } });
    await api.admin('POST', '/api/bots/update', { body: { id: quiet?.id, description: '' } });
    const update = (fields: object) => api.admin('POST', '/api/routes/update', { body: { id, ...fields } });
    expect((await update({ enabled: false })).json).toMatchObject({ enabled: false });
    expect(await update({ candidate_bot_ids: [desk.id] })).toMatchObject({ status: 200 });
    for (const one of named)
      expect(faultsOf(await update({ candidate_bot_ids: [one] }))).toEqual(['candidate_bot_ids']);
    await remove(added);
  });

  test('is refused with a candidate that has no description, that is the source, or beside a target', async () => {
    const answer = await add({ candidate_bot_ids: [silent.id] });
    expect(faultsOf(answer)).toEqual(['candidate_bot_ids']);
    expect(answer.json).toMatchObject({ error: expect.stringContaining(`without a description`) });
    expect(faultsOf(await add({ candidate_bot_ids: [source.id] }))).toContain('candidate_bot_ids');
    expect(faultsOf(await add({ target_bot_id: desk.id, candidate_bot_ids: [shop.id] }))).toEqual([
      'candidate_bot_ids',
    ]);
  });

  test('made with a key that is limited to some bots names candidates among these', async () => {
    const bots = [source.id, shop.id];
    const made = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'limited', bot_ids: bots } });
    const limited = restClient(api.url, (made.json as { key: string }).key);
    expect(faultsOf(await add({}, limited))).toEqual(['candidate_bot_ids']);
    expect((await add({ candidate_bot_ids: [shop.id, desk.id] }, limited)).status).toBe(403);
    const within = await add({ candidate_bot_ids: [shop.id] }, limited);
    expect(within.status).toBe(200);
    const update = (body: object) =>
      limited('POST', '/api/routes/update', { body: { id: (within.json as RoutingRuleResource).id, ...body } });
    expect(faultsOf(await update({ candidate_bot_ids: null }))).toEqual(['candidate_bot_ids']);
    expect((await update({ candidate_bot_ids: [desk.id] })).status).toBe(403);
    expect((await update({ enabled: false })).status).toBe(200);
    await remove(within);
  });
});

describe('a message that is tried', () => {
  test('finds its bot by words, unless another rule matches or it has none', async () => {
    const router = await add();
    expect(await tryText(api.admin, 'Where is my parcel?')).toEqual([
      {
        route_id: expect.any(Number),
        matches: true,
        action: 'copy',
        decision: { target_bot_id: shop.id, reason: 'parcel', by: 'words', duration_ms: expect.any(Number) },
      },
    ]);
    expect(await tryText(api.admin, 'Good morning')).toMatchObject([
      { matches: false, reason: 'not_chosen', decision: { target_bot_id: null } },
    ]);
    expect(await tryText(api.admin, '/start')).toMatchObject([{ matches: false, reason: 'no_text' }]);
    const keyword = await add({
      condition_type: 'keyword',
      condition_value: 'parcel',
      target_bot_id: desk.id,
      target_chat_id: 5,
    });
    expect(await tryText(api.admin, 'Where is my parcel?')).toMatchObject([
      { matches: false, reason: 'matched_before' },
      { matches: true },
    ]);
    await Promise.all([router, keyword].map(remove));
  });

  test('asks the model, as often in a day as is the share of the account', async () => {
    const router = await add({ candidate_bot_ids: [shop.id, desk.id] });
    const chosen = { target_bot_id: desk.id, by: 'model', reason: 'it is about money', tokens: 120 };
    const tries = (client: RestClient) => tryText(client, 'Hello, a refund');
    for (let call = 0; call < 2; call += 1) {
      expect(await tries(withModel)).toMatchObject([{ matches: true, decision: chosen }]);
    }
    const used = 'the share of this account in the 4 trials of this day is used up';
    expect(await tries(withModel)).toMatchObject([
      { matches: false, reason: 'not_chosen', decision: { target_bot_id: null, reason: used } },
    ]);
    expect(model.questions).toHaveLength(2);
    const other = await insertAccount(api.database.db, { username: 'other', role: 'admin' });
    const { url } = withModelPod;
    expect(await tries(restClient(url, other.key))).toMatchObject([{ decision: chosen }]);
    await remove(router);
  });

  test('shows nothing of bots that the caller does not see', async () => {
    const made = await api.admin('POST', '/api/auth/api-keys', {
      body: { name: 'some', bot_ids: [source.id, shop.id] },
    });
    const { key } = made.json as { key: string };
    const limited = restClient(api.url, key);
    const router = await add({ candidate_bot_ids: [shop.id, desk.id] });
    expect(await tryText(limited, 'an invoice')).toMatchObject([
      { matches: true, decision: { target_bot_id: 0, reason: 'it is about bots that you may not see' } },
    ]);
    expect(await tryText(limited, 'my parcel')).toMatchObject([
      { matches: true, decision: { target_bot_id: shop.id, reason: 'it is about bots that you may not see' } },
    ]);
    expect(await tryText(limited, 'Good morning')).toMatchObject([
      { matches: false, decision: { target_bot_id: null, reason: 'no word of it is in a description' } },
    ]);
    const listed = await limited('GET', '/api/routes', { query: { bot_id: source.id } });
    expect(listed.json).toMatchObject([{ candidate_bot_ids: [shop.id] }]);
    const { id } = router.json as RoutingRuleResource;
    const audited = await limited('GET', '/api/adminlog', {
      query: { bot_id: source.id, action: 'route_add', limit: 1 },
    });
    expect(audited.json).toMatchObject([{ details: expect.stringContaining(`candidate_bot_ids: [${shop.id},0]`) }]);
    await api.admin('POST', '/api/routes/update', { body: { id, target_bot_id: desk.id, candidate_bot_ids: null } });
    const [fixed] = (await limited('GET', '/api/routes', { query: { bot_id: source.id } })).json as object[];
    expect(fixed).toMatchObject({ target_bot_id: 0 });
    expect(fixed).not.toHaveProperty('target_bot_name');
    await remove(router);
    const own = await add({ candidate_bot_ids: [shop.id] });
    expect(await tryText(limited, 'my parcel')).toMatchObject([{ decision: { reason: 'parcel' } }]);
    await remove(own);
  });

  test('and its attempts and dead letters name no bot that the caller does not see', async () => {
    const made = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'letters', bot_ids: [source.id] } });
    const limited = restClient(api.url, (made.json as { key: string }).key);
    const redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
    api.endBefore(() => redis.close());
    const name = `rule 8, bot ${desk.id}`;
    const attempt = {
      ...{ atMs: Date.now(), updateId: 5, chatId: 42, status: 403, durationMs: 3, attempt: 1 },
      revision: 1,
    };
    const line = attemptLine({ ...attempt, outcome: 'failed', error: 'Forbidden', destination: name });
    await redis.commands.lpush(botKeys(source.id).rulesAttempts, line);
    const failed = [{ name, reason_code: 'destination_failed', error: 'Forbidden' }];
    await api.database.db
      .insertInto('dead_letters')
      .values({
        ...{
          bot_id: source.id,
          update_id: 5,
          reader: 'rules',
          payload: '{}',
          attempts: 1,
          reason: `${name}: Forbidden`,
        },
        ...{ reason_code: 'destination_failed', destinations: JSON.stringify(failed) },
      })
      .execute();
    const query = { bot_id: source.id };
    for (const [client, shown] of [
      [api.admin, name],
      [limited, 'rule 8'],
    ] as const) {
      const attempts = await client('GET', '/api/deliveries/attempts', { query });
      const letters = await client('GET', '/api/deliveries', { query });
      const update = await client('GET', '/api/updates/show', { query: { ...query, update_id: 5 } });
      expect([attempts.json, letters.json, update.json]).toMatchObject([
        [{ destination: shown, id: expect.stringMatching(new RegExp(`^${shown.replaceAll(' ', '-')}-5`)) }],
        [{ last_error: `${shown}: Forbidden`, destinations: [{ name: shown }] }],
        {},
      ]);
      const others = JSON.stringify([attempts.json, letters.json, update.json]).match(/bot[ -](\d+)/g) ?? [];
      expect(others.length > 0).toBe(client === api.admin);
    }
  });

  test('leaves no decision behind, and decisions are for who has the bot', async () => {
    const query = { bot_id: source.id };
    expect((await api.admin('GET', '/api/routes/decisions', { query })).json).toEqual([]);
    const stranger = await insertAccount(api.database.db, { username: 'stranger', bots: [shop.id] });
    const answer = await restClient(api.url, stranger.key)('GET', '/api/routes/decisions', { query });
    expect(answer.status).toBe(403);
  });
});
