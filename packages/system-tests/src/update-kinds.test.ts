import type { MessageResource } from '@flotilla/contract/messages.ts';
import type { ShownUpdateResource } from '@flotilla/contract/updates.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { kindsToAskFor } from '@flotilla/telegram/update-kinds.ts';
import { startBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const ADA = { id: 77, is_bot: false, first_name: 'Ada' };

let fleet: Fleet;
let redis: RedisHandles;

beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 1 }, { PUBLIC_URL: 'http://127.0.0.1:1', EXTRA_UPDATE_KINDS: 'Mirage' });
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
}, 60_000);
afterAll(async () => {
  await redis.close();
  await fleet.stop();
}, 60_000);

const asked = async (bot: FleetBot, method: 'getUpdates' | 'setWebhook'): Promise<unknown> => {
  const { calls } = await fleet.control.readCalls({ bot: bot.platformId });
  const newest = calls.filter((call) => call.method.toLowerCase() === method.toLowerCase()).at(-1);
  return newest === undefined ? null : JSON.parse(newest.params.allowed_updates ?? 'null');
};
const untilAsked = (bot: FleetBot, method: 'getUpdates' | 'setWebhook', kinds: string[]) =>
  waitFor(async () => JSON.stringify(await asked(bot, method)) === JSON.stringify(kinds), {
    timeoutMs: 20_000,
    message: `the platform to be asked for ${kinds.slice(-3).join()}`,
  });
const call = async (token: string, method: string, params: object) => {
  const response = await fetch(`${fleet.url}/tgapi/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  return (await response.json()) as { ok: boolean; result: unknown };
};
const poll = (token: string, allowed?: string[]) =>
  call(token, 'getUpdates', { timeout: 0, ...(allowed === undefined ? {} : { allowed_updates: allowed }) });

describe('the platform is asked for', () => {
  test('every name that a reader of the bot ever named, at once and for good', async () => {
    const bot = await fleet.addBot({ long_poll_enabled: true });
    await untilAsked(bot, 'getUpdates', kindsToAskFor(['mirage']));
    await poll(bot.token, ['message', 'Hologram']);
    await untilAsked(bot, 'getUpdates', kindsToAskFor(['mirage', 'hologram']));
    // The poll that waited was given up, so that nothing of the new kind is missed meanwhile.
    await poll(bot.token, ['message']);
    const program = await fleet.rest<{ id: number }>('/api/programs/add', {
      bot_id: bot.id,
      name: 'Archive',
      kinds: ['aurora_2'],
    });
    const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', {
      program_id: program.id,
      name: 'Archive',
      methods: ['read'],
    });
    await poll(token, ['eclipse']);
    await fetch(`${fleet.url}/api/updates/poll?bot_id=${bot.id}&timeout=0&consumer=x&allowed_updates=comet`, {
      headers: { authorization: 'Bearer flt_system-tests-admin-key-0123456789' },
    });
    await fleet.rest('/api/programs/delete', { id: program.id });
    const names = ['mirage', 'hologram', 'aurora_2', 'eclipse', 'comet'];
    await untilAsked(bot, 'getUpdates', kindsToAskFor(names));
  }, 60_000);

  test('the same by a webhook, which follows when a reader names a kind', async () => {
    const bot = await fleet.addBot({ long_poll_enabled: true, webhook_mode: true, allowed_updates: ['hologram'] });
    await untilAsked(bot, 'setWebhook', kindsToAskFor(['mirage', 'hologram']));
    await poll(bot.token, ['message', 'aurora']);
    await untilAsked(bot, 'setWebhook', kindsToAskFor(['mirage', 'message', 'aurora', 'hologram']));
    // The platform does not know these names, and is not told them again at each look.
    const sets = async () =>
      (await fleet.control.readCalls({ bot: bot.platformId })).calls.filter(({ method }) =>
        /^setWebhook$/i.test(method),
      ).length;
    await waitFor(async () => (await redis.commands.get(botKeys(bot.id).ignoredKinds)) !== null);
    const before = await sets();
    const looks = async () => (await redis.commands.hget(botKeys(bot.id).state, 'hookOkAt')) ?? '0';
    const lookedAt = await looks();
    await redis.commands.del(botKeys(bot.id).webhookCheck);
    await waitFor(async () => (await looks()) !== lookedAt, { timeoutMs: 20_000, message: 'a look at the webhook' });
    expect(await sets()).toBe(before);
  }, 60_000);
});

test.each([
  ['subscription', { user: ADA, invoice_payload: 'berth', state: 'canceled' }],
  ['stopped_message_generation', { chat: { id: 77, type: 'private', first_name: 'Ada' }, draft_id: 5 }],
  ['hologram', { user: ADA }],
])('a reader that names only %s gets it and nothing else', async (kind, payload) => {
  const bot = await fleet.addBot({ long_poll_enabled: true });
  await poll(bot.token, [kind]);
  const raw = JSON.stringify(payload);
  const message = JSON.stringify({ message_id: 1, date: 1, chat: { id: 77, type: 'private' }, text: 'hi' });
  await fleet.control.injectUpdates({
    bot: bot.platformId,
    updates: [
      { kind: 'message', raw: message },
      { kind, raw },
    ],
  });
  const { result } = await call(bot.token, 'getUpdates', { timeout: 20 });
  expect(result).toEqual([{ update_id: expect.any(Number), [kind]: payload }]);
});

test('a reader without kinds gets a kind that nobody knows yet, also when it asks for the default set by REST', async () => {
  const bot = await fleet.addBot({ long_poll_enabled: true });
  await fleet.control.injectUpdates({ bot: bot.platformId, updates: [{ kind: 'hologram', raw: '{"beam":1}' }] });
  const path = `/api/updates/poll?bot_id=${bot.id}&timeout=20&consumer=rest&allowed_updates=`;
  const { result } = await fleet.rest<{ result: object[] }>(path);
  expect(result).toEqual([{ update_id: expect.any(Number), hologram: { beam: 1 } }]);
});

test('a tap reaches the bot, which answers it, and is an event of the chat that names its widget', async () => {
  const bot = await fleet.addBot({ long_poll_enabled: true });
  const { control } = fleet;
  const { id: person } = await control.createPerson({ firstName: 'Ada' });
  await control.startBot({ person, bot: bot.platformId, quietly: true });
  const widget = { chat_id: person, html: '<p>Berths</p>', allow_queries: true };
  const sent = (await call(bot.token, 'sendWidget', widget)).result as { message_id: number };
  const { queryId } = await control.tapWidget({
    ...{ person, bot: bot.platformId, messageId: sent.message_id, data: 'berth:7' },
  });
  const { result } = await call(bot.token, 'getUpdates', { timeout: 20 });
  expect(result).toMatchObject([{ widget_query: { id: queryId, data: 'berth:7' } }]);
  expect(await call(bot.token, 'answerWidgetQuery', { widget_query_id: queryId, data: 'free' })).toMatchObject({
    ok: true,
  });
  expect(await control.readQuery({ queryId })).toMatchObject({ answer: { data: 'free' } });
  const rows = await waitFor(async () => {
    const found = await fleet.rest<MessageResource[]>(`/api/messages?bot_id=${bot.id}&chat_id=${person}`);
    return found.length === 2 && found;
  });
  expect(rows).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: sent.message_id, service: 'widget', outgoing: true }),
      expect.objectContaining({
        ...{ service: 'widget_query', text: 'Widget tapped: berth:7', user_id: person },
        reply_to_message_id: sent.message_id,
      }),
    ]),
  );
}, 60_000);

describe('an update of a kind that nobody knows', () => {
  const [BEN, CHAT] = [
    { id: 78, is_bot: false, first_name: 'Ben' },
    { id: -5, type: 'group', title: 'Crew' },
  ];
  const ofAda = { id: '1', from: ADA, chat: CHAT, beam: 1 };
  const ofBen = { id: '2', from: BEN, chat: CHAT, beam: 2 };
  const ofMessage = { id: '3', message: { message_id: 9, date: 1, chat: CHAT, from: BEN, text: 'hi' } };

  test('is found by chat and person, kept in the history with its JSON, and holds up nobody else', async () => {
    const backend = await startBackend(({ text }, response) => {
      if (!text.includes('"beam":1')) response.end();
    });
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url, long_poll_enabled: true });
    const program = await fleet.rest<{ id: number }>('/api/programs/add', {
      ...{ bot_id: bot.id, name: 'Of Ben', filter: { chat_ids: [CHAT.id], user_ids: [BEN.id] } },
    });
    const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', {
      ...{ program_id: program.id, name: 'Of Ben', methods: ['read'], chats: [CHAT.id] },
    });
    const updates = [ofAda, ofBen, ofMessage].map((payload) => ({ kind: 'hologram', raw: JSON.stringify(payload) }));
    await fleet.control.injectUpdates({ bot: bot.platformId, updates });
    const pushed = await backend.waitForRequests(3);
    expect(pushed.map(({ text }) => JSON.parse(text).hologram.id).sort()).toEqual(['1', '2', '3']);
    const { result } = await call(token, 'getUpdates', { timeout: 20 });
    const [, second] = pushed.map(({ text }) => JSON.parse(text)).sort((one, other) => one.update_id - other.update_id);
    expect(result).toEqual([second, { update_id: second.update_id + 1, hologram: ofMessage }]);
    const rows = await waitFor(async () => {
      const found = await fleet.rest<MessageResource[]>(`/api/messages?bot_id=${bot.id}&chat_id=${CHAT.id}`);
      return found.length === 3 && found;
    });
    expect((rows as MessageResource[]).map(({ service, text, user_id: user }) => ({ service, text, user }))).toEqual(
      expect.arrayContaining([
        { service: 'hologram', text: 'hologram: {"id":"1","beam":1}', user: ADA.id },
        { service: 'hologram', text: 'hologram: {"id":"2","beam":2}', user: BEN.id },
        { service: 'hologram', text: 'hologram: {"id":"3"}', user: undefined },
      ]),
    );
    const shown = await fleet.rest<ShownUpdateResource>(
      `/api/updates/show?bot_id=${bot.id}&update_id=${second.update_id}`,
    );
    expect(shown).toMatchObject({ kind: 'hologram', chat_id: CHAT.id, update: { hologram: ofBen } });
    expect(shown.message).toMatchObject({ service: 'hologram', user_id: BEN.id });
    await backend.stop();
  }, 60_000);
});
