import type { BotResource } from '@flotilla/contract/bots.ts';
import { openLive } from '@flotilla/testing/live-client.ts';
import { waitingForLocks } from '@flotilla/testing/locked-table.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const KEYS = '/api/auth/api-keys';
const WITHIN_5_S = { timeoutMs: 5000 };

const api = testApi({ LABELS_MAX: '7' });
/** The credentials are used at this api; labels change at the other one. */
let pod: Awaited<ReturnType<typeof api.startPod>>;
let people = 0;
let named: BotResource;

beforeAll(async () => {
  pod = await api.startPod();
  named = await api.addBot();
});
beforeEach(async () => {
  const bots = (await api.admin('GET', '/api/bots')).json as BotResource[];
  for (const { id } of bots.filter(({ labels }) => labels.length > 0)) await label(id);
});

const label = async (id: number, ...labels: string[]) =>
  expect(await api.admin('POST', '/api/bots/update', { body: { id, labels } })).toMatchObject({ status: 200 });
const at = ({ key }: { key: string }, url = pod.url) => restClient(url, key);
const seen = async (client: RestClient) =>
  ((await client('GET', '/api/bots')).json as BotResource[]).map(({ id }) => id);
const sees = (client: RestClient, ...ids: number[]) =>
  waitFor(async () => (await seen(client)).join() === ids.join(), WITHIN_5_S);
const make = (client: RestClient, body: object) => client('POST', KEYS, { body: { name: 'a key', ...body } });
const newKey = async (client: RestClient, body: object) => {
  const made = await make(client, body);
  expect(made).toMatchObject({ status: 200 });
  return made.json as { id: number; key: string; bot_ids: number[] | null; bot_labels: string[] };
};

function somebody(labels: string[], bots = [named.id], role: 'admin' | 'user' = 'user'): Promise<TestAccount> {
  people += 1;
  return insertAccount(api.database.db, { username: `labelled-${people}`, bots, labels, role });
}

async function cookieOf({ username, password }: TestAccount): Promise<string> {
  const { headers } = await restClient(pod.url)('POST', '/api/auth/login', { body: { username, password } });
  return headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

describe('an account with labels', () => {
  test('sees the bots that have one of them and those that it names, on every replica, also later', async () => {
    const first = await api.addBot({ labels: ['shop'] });
    const later = await api.addBot({ labels: ['other'] });
    const client = at(await somebody(['shop', 'eu']));
    expect(await seen(client)).toEqual([named.id, first.id]);
    await label(later.id, 'eu', 'other');
    await sees(client, named.id, first.id, later.id);
    const added = await api.addBot({ labels: ['shop'] });
    await sees(client, named.id, first.id, later.id, added.id);
    await label(first.id);
    await label(added.id, 'other');
    await sees(client, named.id, later.id);
  });

  test('is given them by an admin, with an audit entry, and shown with them', async () => {
    const bot = await api.addBot({ labels: ['shop'] });
    const who = await somebody([], []);
    const changed = await api.admin('POST', '/api/auth/users/update', { body: { id: who.id, bot_labels: ['shop'] } });
    expect(changed.json).toMatchObject({ id: who.id, bot_ids: [], bot_labels: ['shop'] });
    await sees(at(who), bot.id);
    const [entry] = (await api.admin('GET', '/api/adminlog', { query: { action: 'account_update', limit: 1 } }))
      .json as { details: string }[];
    expect(entry!.details).toBe('bot_labels: [] → ["shop"]');
    await api.admin('POST', '/api/auth/users/update', { body: { id: who.id, bot_labels: [] } });
    await sees(at(who));
  });

  test('loses a bot with its label: polls, live streams and chats that it looks after, too', async () => {
    const bot = await api.addBot({ labels: ['shop'], long_poll_enabled: true });
    const who = await somebody(['shop']);
    const cookie = await cookieOf(who);
    await storeMessages(api.database.db, bot.id, [{ chat_id: 5, id: 1, date: 1, text: 'Hi' }]);
    const chat = { bot_id: bot.id, chat_id: 5 };
    const assigned = await api.admin('POST', '/api/chats/assign', { body: { ...chat, account_id: who.id } });
    expect(assigned.json).toMatchObject({ assigned_to: who.id });
    const live = await openLive(pod.url, `bot:${bot.id}`, { cookie });
    await waitFor(() => live.lastEventId() !== '');
    const query = { bot_id: bot.id, timeout: 60 };
    const polls = [{ authorization: `Bearer ${who.key}` }, { cookie }].map((headers) =>
      restClient(pod.url)('GET', '/api/updates/poll', { query, headers }),
    );
    await label(bot.id, 'other');
    await waitFor(() => live.isEnded(), WITHIN_5_S);
    expect((await Promise.all(polls)).map(({ status }) => status)).toEqual([403, 403]);
    const left = await api.admin('GET', '/api/chats/show', { query: chat });
    expect(left.json).not.toHaveProperty('assigned_to');
    const assignees = await api.admin('GET', '/api/chats/assignees', { query: { bot_id: bot.id } });
    expect((assignees.json as { id: number }[]).map(({ id }) => id)).not.toContain(who.id);
  });
});

describe('a key with labels', () => {
  test('sees those bots of its account that have one of them', async () => {
    const [shop, other] = [await api.addBot({ labels: ['shop'] }), await api.addBot({ labels: ['other'] })];
    const ofAdmin = await newKey(api.admin, { role: 'admin', bot_labels: ['shop'] });
    expect(ofAdmin).toMatchObject({ bot_ids: [], bot_labels: ['shop'] });
    expect(await seen(at(ofAdmin))).toEqual([shop.id]);
    const both = await newKey(api.admin, { role: 'user', bot_labels: ['shop'], bot_ids: [named.id] });
    expect(await seen(at(both))).toEqual([named.id, shop.id]);
    const narrow = await newKey(at(await somebody(['other'])), { bot_labels: ['shop'] });
    expect(await seen(at(narrow))).toEqual([]);
    await label(other.id, 'other', 'shop');
    await sees(at(narrow), other.id);
    const refused = await make(api.admin, { bot_ids: null, bot_labels: ['shop'] });
    expect(refused).toMatchObject({ status: 400, json: { details: [{ path: 'bot_labels' }] } });
  });

  test('makes only keys that stay within it, whatever labels bots have later', async () => {
    const shop = await api.addBot({ labels: ['shop'] });
    const parent = at(await newKey(api.admin, { role: 'admin', bot_labels: ['shop', 'eu'], bot_ids: [named.id] }));
    expect((await make(parent, { bot_labels: ['other'] })).status).toBe(403);
    expect((await make(parent, { bot_ids: [shop.id] })).status).toBe(403);
    expect(await newKey(parent, { bot_ids: [named.id] })).toMatchObject({ bot_labels: [] });
    const ofLabel = await newKey(parent, { bot_labels: ['shop'] });
    const same = await newKey(parent, {});
    expect(same).toMatchObject({ bot_ids: [named.id], bot_labels: ['shop', 'eu'] });
    await label(shop.id);
    await sees(at(same), named.id);
    const within = async (key: { key: string }) =>
      ((await at(key)('GET', KEYS)).json as { id: number }[]).map(({ id }) => id);
    expect(await within(ofLabel)).not.toContain(same.id);
    expect(await within(same)).toEqual(expect.arrayContaining([same.id, ofLabel.id]));
  });
});

describe('the labels of a bot', () => {
  test('are changed by an admin of all bots alone, so that nobody gives themselves a bot', async () => {
    const bot = await api.addBot({ labels: ['shop'] });
    const limited = at(await newKey(api.admin, { role: 'admin', bot_ids: [bot.id] }));
    const update = (body: object) => limited('POST', '/api/bots/update', { body: { id: bot.id, ...body } });
    expect((await update({ labels: ['shop', 'eu'] })).status).toBe(403);
    expect(await update({ labels: ['shop'], description: 'Sells' })).toMatchObject({ status: 200 });
    const { token } = await api.platform.createBot({});
    expect((await limited('POST', '/api/bots/add', { body: { token, labels: ['eu'] } })).status).toBe(403);
  });

  test.each([
    ['labels', { labels: ['shop'] }, { labels: '[]' }],
    ['a switch of the fleet', { adopts: false }, { adopts: true }],
  ])('are as little given back by a limited key after a change: %s', async (_title, given, meanwhile) => {
    const bot = await api.addBot({ labels: ['shop'] });
    const limited = at(await newKey(api.admin, { role: 'admin', bot_ids: [bot.id] }));
    const { db } = api.database;
    const late = await db.transaction().execute(async (transaction) => {
      await transaction.updateTable('bots').set(meanwhile).where('id', '=', bot.id).execute();
      const answer = limited('POST', '/api/bots/update', { body: { id: bot.id, ...given } });
      await waitFor(async () => (await waitingForLocks(db)) > 0);
      return { answer };
    });
    expect((await late.answer).status).toBe(403);
    await db.updateTable('bots').set({ labels: '[]', adopts: false }).where('id', '=', bot.id).execute();
  });

  test('say in the audit log what stays of those who lost the bot', async () => {
    const bot = await api.addBot({ labels: ['shop'] });
    const key = at(await newKey(api.admin, { role: 'admin', bot_labels: ['shop'] }));
    const [loses, stays] = [at(await somebody(['shop'])), at(await somebody(['shop'], [bot.id]))];
    const add = async (client: RestClient, path: string, body: object) => {
      const added = await client('POST', `/api/programs${path}`, { body: { name: 'made', ...body } });
      expect(added).toMatchObject({ status: 200 });
      return (added.json as { id: number }).id;
    };
    const push = { mode: 'push', backend_url: 'http://127.0.0.1:9/' };
    const program_id = await add(key, '/add', { bot_id: bot.id, ...push });
    const token = await add(loses, '/tokens/add', { program_id });
    await add(stays, '/tokens/add', { program_id, name: 'stays' });
    await label(bot.id, 'eu');
    const log = await api.admin('GET', '/api/adminlog', { query: { action: 'bot_update', limit: 1 } });
    expect((log.json as { details: string }[])[0]?.details).toBe(
      [
        'labels: ["shop"] → ["eu"]',
        `of those who lost it, tokens of programs stay: ${token}`,
        `of those who lost it, backends of programs stay: ${program_id}`,
      ].join('; '),
    );
  });

  test('are at most LABELS_MAX in all', async () => {
    const bot = await api.addBot({ labels: ['1', '2', '3', '4', '5', '6'] });
    const other = await api.addBot();
    const update = (labels: string[]) => api.admin('POST', '/api/bots/update', { body: { id: other.id, labels } });
    expect((await update(['6', '7'])).status).toBe(200);
    const refused = await update(['7', '8']);
    expect(refused).toMatchObject({
      status: 400,
      json: { details: [{ path: 'labels', reason: 'would make 8 labels in all, and LABELS_MAX is 7' }] },
    });
    await label(bot.id, '1');
    expect((await update(['7', '8'])).status).toBe(200);
  });
});
