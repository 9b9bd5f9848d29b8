import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { EventResource } from '@flotilla/contract/events.ts';
import { adoptBot } from '@flotilla/domain/delivery/adoption/adopt-bot.ts';
import { takeManagedBot } from '@flotilla/domain/delivery/adoption/take-managed-bot.ts';
import type { ClaimedUnit } from '@flotilla/domain/delivery/lanes/claimed-unit.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { columnsOf } from '@flotilla/domain/fleet/bots/bot-row.ts';
import { botStore } from '@flotilla/domain/fleet/bots/bot-store.ts';
import { republishBots } from '@flotilla/domain/fleet/bots/republish-bots.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { type LiveClient, openLive } from '@flotilla/testing/live-client.ts';
import { waitingForLocks } from '@flotilla/testing/locked-table.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

const OWNER = 424_242;
const PLACES_OF_ONE = 20;
const TEMPLATE = {
  backend_url: 'http://127.0.0.1:9/',
  programs: [{ name: 'orders', backend_url: 'http://127.0.0.1:9/' }],
};
const UNIT = {
  unitId: '7',
  retry: null,
  updates: [{ expiresAtMs: Number.POSITIVE_INFINITY }],
} as unknown as ClaimedUnit;

/** Another server, at which each token is that of some other bot. */
const elsewhere = createServer((request, response) => {
  request.resume();
  response.end(JSON.stringify({ ok: true, result: { id: 1, username: 'other_bot', first_name: 'Other' } }));
});
let api: TestApi;
let worker: Context;
let parent: BotResource;

beforeAll(async () => {
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  const { port } = elsewhere.address() as AddressInfo;
  api = await startTestApi({ TELEGRAM_UPSTREAMS: `elsewhere=http://127.0.0.1:${port}` });
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
  await api.platform.createPerson({ id: OWNER });
  const { token } = await api.platform.createBot({ manages: true, username: 'head_bot' });
  const body = { token, adopts: true, template: TEMPLATE };
  parent = (await api.admin('POST', '/api/bots/add', { body })).json as BotResource;
  await worker.directory.refresh();
}, 60_000);
afterAll(async () => {
  await api?.stop();
  elsewhere.closeAllConnections();
  await new Promise((resolve) => elsewhere.close(resolve));
});

const parentHere = () => worker.directory.byId(parent.id)!;
const parentAtPlatform = () => Number(parent.token.split(':')[0]);
const make = async (person = OWNER) => {
  const { id, username } = await api.platform.createManagedBot({ person, bot: parentAtPlatform() });
  return { ownerId: person, made: { id, username, first_name: 'Corner' } };
};
const rowsOf = (telegramId: number) => worker.directory.all().filter(({ telegram_id }) => telegram_id === telegramId);
/** A bot that was adopted. */
async function adopted(): Promise<{ bot: Bot; managed: Awaited<ReturnType<typeof make>> }> {
  const managed = await make();
  await adoptBot(worker, parentHere(), managed);
  return { bot: rowsOf(managed.made.id)[0]!, managed };
}
type Fields = { parent_bot_id?: number | null; upstream?: string; owner_user_id?: number | null };
async function change(ids: number[], fields: Fields) {
  const revision = sql<number>`nextval('bot_revisions')`;
  await api.database.db
    .updateTable('bots')
    .set({ ...fields, revision })
    .where('id', 'in', ids)
    .execute();
  await republishBots(worker, ids);
}
const asked = async () =>
  (await api.platform.readCalls({ bot: parentAtPlatform(), method: 'getManagedBotToken' })).total;

describe('a bot that is adopted', () => {
  test('has secrets of its own at the backends of the template', async () => {
    const [one, other] = [(await adopted()).bot, (await adopted()).bot];
    const secrets = [one, other].flatMap(({ secret_token, programs }) => [secret_token, programs[0]!.secret_token]);
    expect(new Set(secrets).size).toBe(4);
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
  });

  test('gets no token from a parent at another server, or from another parent', async () => {
    const { bot, managed } = await adopted();
    const other = await api.addBot();
    const before = await asked();
    for (const [fields, why] of [
      [{ parent_bot_id: null, upstream: 'elsewhere' }, 'at another server'],
      [{ parent_bot_id: other.id, upstream: 'default' }, 'of another parent'],
    ] as const) {
      await change([bot.id], fields);
      await api.platform.revokeToken({ bot: managed.made.id });
      await expect(adoptBot(worker, parentHere(), managed)).rejects.toThrow(why);
      expect(rowsOf(managed.made.id)).toMatchObject([{ token: bot.token, ...fields }]);
    }
    expect(await asked()).toBe(before);
  });

  test('keeps the newer token if two are stored at once, also when the platform cannot be asked again', async () => {
    const { bot, managed } = await adopted();
    const { db } = api.database;
    let rotating: Promise<RestAnswer> | undefined;
    const newer = await db.transaction().execute(async (transaction) => {
      const bots = botStore(transaction);
      await bots.lock(bot.id);
      rotating = api.admin('POST', '/api/bots/rotate-token', { body: { id: bot.id } });
      await waitFor(async () => (await waitingForLocks(db)) === 1);
      const { token } = await api.platform.revokeToken({ bot: managed.made.id });
      await bots.update(bot.id, columnsOf(worker.secrets, bot.id, { token }));
      const effect = { kind: 'status', status: 502 } as const;
      await api.platform.setFault({ bot: parentAtPlatform(), method: 'getManagedBotToken', effect });
      return token;
    });
    expect((await rotating)?.status).toBeGreaterThanOrEqual(500);
    await api.platform.clearFaults({});
    await republishBots(worker, [bot.id]);
    expect(rowsOf(managed.made.id)).toMatchObject([{ token: newer }]);
  });

  test('has no owner again who was erased, although an update about it is tried again', async () => {
    const { bot, managed } = await adopted();
    await change([bot.id], { owner_user_id: null });
    const { token } = await api.platform.revokeToken({ bot: managed.made.id });
    await adoptBot(worker, parentHere(), managed);
    expect(rowsOf(managed.made.id)).toMatchObject([{ token, owner_user_id: null }]);
  });

  test('has the owner that a new update tells, with an entry that does not name them; an old one changes none', async () => {
    const { bot, managed } = await adopted();
    const told = (id: number, unit: object = {}) =>
      takeManagedBot(worker, parentHere(), { ...UNIT, ...unit }, { user: { id }, bot: managed.made });
    expect(await told(OWNER + 1)).toEqual({ outcome: 'delivered' });
    expect(rowsOf(managed.made.id)).toMatchObject([{ owner_user_id: OWNER + 1 }]);
    await told(OWNER, { retry: { attempts: 1 } });
    await told(OWNER, { unitId: 'r7' });
    expect(rowsOf(managed.made.id)).toMatchObject([{ owner_user_id: OWNER + 1 }]);
    const query = { bot_id: String(bot.id), action: 'bot_update' };
    const entries = (await api.admin('GET', '/api/adminlog', { query })).json as AuditEntryResource[];
    const details = expect.stringMatching(/^parent @head_bot \(bot \d+\); owner_user_id changed$/);
    expect(entries).toMatchObject([{ details, actor_username: 'head_bot' }]);
  });

  test('is not adopted by a template that lets a stranger choose the server', async () => {
    const open = { ...parentHere(), template: { backend_url: 'https://{name}/' } };
    await expect(adoptBot(worker, open, await make())).rejects.toThrow('must have its host fixed');
    const body = { id: parent.id, template: open.template };
    expect(await api.admin('POST', '/api/bots/update', { body })).toMatchObject({ status: 400 });
  });

  test('gets no token that is not its own at its server', async () => {
    const { bot, managed } = await adopted();
    await change([bot.id], { upstream: 'elsewhere' });
    await api.platform.revokeToken({ bot: managed.made.id });
    const rotated = await api.admin('POST', '/api/bots/rotate-token', { body: { id: bot.id } });
    expect(rotated).toMatchObject({ status: 400, json: { error: expect.stringContaining('another bot') } });
    await expect(adoptBot(worker, parentHere(), managed)).rejects.toThrow('another bot');
    expect(rowsOf(managed.made.id)).toMatchObject([{ token: bot.token }]);
  });
});

test('a person makes 20 bots for a parent, and more are refused before the platform is asked, and told of once', async () => {
  const added = await Promise.all(Array.from({ length: PLACES_OF_ONE }, () => api.addBot()));
  const stranger = (await api.platform.createPerson({})).id;
  await change(
    added.map(({ id }) => id),
    { parent_bot_id: parent.id, owner_user_id: stranger },
  );
  const before = await asked();
  for (const { made } of [await make(stranger), await make(stranger)]) {
    const taken = await takeManagedBot(worker, parentHere(), UNIT, { user: { id: stranger }, bot: made });
    expect(taken).toMatchObject({ outcome: 'dead', failure: { attempts: 1 } });
    expect(rowsOf(made.id)).toEqual([]);
  }
  expect(await asked()).toBe(before);
  const query = { bot_id: String(parent.id), kinds: 'bot.not_adopted' };
  const told = (await api.admin('GET', '/api/events', { query })).json as EventResource[];
  expect(told).toMatchObject([{ text: expect.stringContaining('at most 20 bots of one person') }]);
});

describe('whoever sees a bot, but not its parent', () => {
  let bot: Bot;
  let limited: RestClient;
  let key: string;
  beforeAll(async () => {
    bot = (await adopted()).bot;
    const body = { name: 'limited', role: 'admin', bot_ids: [bot.id] };
    key = ((await api.admin('POST', '/api/auth/api-keys', { body })).json as { key: string }).key;
    limited = restClient(api.url, key);
  });

  test('is not told which bot that is', async () => {
    const query = { id: String(bot.id) };
    expect((await api.admin('GET', '/api/bots/show', { query })).json).toMatchObject({ parent_bot_id: parent.id });
    const shown = (await limited('GET', '/api/bots/show', { query })).json as BotResource;
    expect(shown).toMatchObject({ id: bot.id, owner_user_id: OWNER });
    expect(shown).not.toHaveProperty('parent_bot_id');
    const ofParent = { query: { parent_bot_id: String(parent.id) } };
    const listed = async (client: RestClient) => (await client('GET', '/api/bots', ofParent)).json as BotResource[];
    expect((await listed(api.admin)).map(({ parent_bot_id }) => parent_bot_id)).toContain(parent.id);
    expect((await listed(api.admin)).map(({ id }) => id)).not.toContain(parent.id);
    expect(await listed(limited)).toEqual([]);
    const ofBot = { query: { bot_id: String(bot.id) } };
    const entries = (await limited('GET', '/api/adminlog', ofBot)).json as AuditEntryResource[];
    const events = (await limited('GET', '/api/events', ofBot)).json as EventResource[];
    expect(entries.map(({ action }) => action)).toEqual(['program_add', 'bot_add']);
    for (const entry of entries) {
      expect(entry.details).toMatch(/^parent another bot; /);
      expect(entry).not.toHaveProperty('actor_id');
    }
    expect(events).toMatchObject([{ kind: 'bot.added', text: 'Adopted by another bot' }]);
    expect(JSON.stringify([shown, entries, events])).not.toContain('head_bot');
  });

  test('nor when the bot changes', async () => {
    const clients = await Promise.all([key, ADMIN_KEY].map((one) => openLive(api.url, 'fleet', { key: one })));
    await waitFor(() => clients.every((client) => client.lastEventId() !== ''));
    await api.admin('POST', '/api/bots/update', { body: { id: bot.id, name: 'Renamed' } });
    const told = (client: LiveClient) => client.named('bot').find(({ data }) => data.name === 'Renamed')?.data;
    await waitFor(() => clients.every((client) => told(client) !== undefined));
    expect(clients.map((client) => told(client)?.parent_bot_id)).toEqual([undefined, parent.id]);
    for (const client of clients) client.close();
  });
});
