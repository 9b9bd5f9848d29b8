import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import type { EventResource } from '@flotilla/contract/events.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReaderResource } from '@flotilla/contract/readers.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ledger } from './ledger.ts';

const TAKEN_UP = { timeoutMs: 90_000 };
const TEST_MS = 240_000;
const OWNER = 424_242;
const COMMANDS = [{ command: 'order', description: 'Orders something' }];

let fleet: Fleet;
let backend: TestBackend;
let parent: FleetBot;

beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 1 }, { PUBLIC_URL: 'http://127.0.0.1:1' });
  backend = await startBackend();
  await fleet.control.createPerson({ id: OWNER, firstName: 'Ada' });
  const programs = [{ name: 'orders', kinds: ['message'] }];
  const template = { name: 'Shop {name}', backend_url: `${backend.url}/{username}`, programs, commands: COMMANDS };
  parent = await fleet.addBot({ adopts: true, template }, { manages: true });
}, 120_000);
afterEach(() => fleet.control.clearFaults({}));
afterAll(async () => {
  await fleet?.stop();
  await backend?.stop();
}, 60_000);

const bots = () => fleet.rest<BotResource[]>('/api/bots');
const adopted = async (username: string): Promise<BotResource> => {
  const isIt = (bot: BotResource) => bot.username === username && bot.parent_bot_id === parent.id;
  const found = await waitFor(async () => (await bots()).find(isIt), {
    ...TAKEN_UP,
    message: `${username} to be adopted`,
  });
  return found as BotResource;
};
const make = async (username: string) => {
  const query = `bot_id=${parent.id}&username=${username}&name=Corner`;
  const { link } = await fleet.rest<{ link: string }>(`/api/bots/creation-link?${query}`);
  return fleet.control.createManagedBot({ person: OWNER, link });
};
const events = (botId: number) => fleet.rest<EventResource[]>(`/api/events?bot_id=${botId}`);
const callsOf = async (method: string) => (await fleet.control.readCalls({ bot: parent.platformId, method })).calls;
const tokenAtPlatform = async (id: number) => (await fleet.control.listBots({})).find((bot) => bot.id === id)!.token;
const replaceAtPlatform = (id: number) =>
  fetch(`${fleet.simulator.url}/bot${parent.token}/replaceManagedBotToken?user_id=${id}`);

describe('a bot that somebody makes for another one', () => {
  test(
    'is registered by the template, and its first update reaches the backend',
    async () => {
      const made = await make('corner_bot');
      const bot = await adopted('corner_bot');
      expect(bot).toMatchObject({ name: 'Shop Corner', owner_user_id: OWNER, proxy_enabled: true });
      await fleet.control.sendMessage({ person: OWNER, bot: made.id, text: 'first' });
      const [request] = await backend.waitForRequests(1);
      expect(request).toMatchObject({ url: '/corner_bot', text: expect.stringContaining('"text":"first"') });
      const programs = await fleet.rest<ProgramResource[]>(`/api/programs?bot_id=${bot.id}`);
      expect(programs).toMatchObject([{ name: 'orders', mode: 'pull', kinds: ['message'], enabled: true }]);
      expect(await fleet.control.listCommands({ person: OWNER, bot: made.id })).toEqual(COMMANDS);
      const by = `@${parent.username} (bot ${parent.id})`;
      expect(await events(bot.id)).toMatchObject([{ kind: 'bot.added', text: `Adopted by ${by}` }]);
      const entries = await fleet.rest<AuditEntryResource[]>(`/api/adminlog?bot_id=${bot.id}`);
      expect(entries).toContainEqual(
        expect.objectContaining({
          action: 'bot_add',
          actor_username: parent.username,
          details: expect.stringContaining(by),
        }),
      );
    },
    TEST_MS,
  );

  test(
    'is registered once although the worker is killed meanwhile, with a token that changed meanwhile',
    async () => {
      await fleet.control.setFault({ bot: parent.platformId, method: 'getManagedBotToken', effect: { kind: 'hang' } });
      const before = (await callsOf('getManagedBotToken')).length;
      const made = await make('killed_bot');
      await waitFor(async () => (await callsOf('getManagedBotToken')).length > before, TAKEN_UP);
      await fleet.workers.splice(0, 1)[0]!.kill();
      await fleet.control.clearFaults({});
      await fleet.control.revokeToken({ bot: made.id });
      await fleet.start('worker');
      const bot = await adopted('killed_bot');
      await waitFor(async () => (await tokenAtPlatform(made.id)) === (await token(bot.id)), TAKEN_UP);
      expect((await bots()).filter(({ username }) => username === 'killed_bot')).toHaveLength(1);
    },
    TEST_MS,
  );

  test(
    'waits at no update of its parent; what cannot be adopted is told, and adopted by hand later',
    async () => {
      const refusal = { kind: 'status', status: 400, description: 'Bad Request: BOT_NOT_MANAGED' } as const;
      await fleet.control.setFault({ bot: parent.platformId, method: 'getManagedBotToken', effect: refusal });
      await make('refused_bot');
      // The new token of the bot above may still be asked for, and be refused too.
      const untaken = async () => (await events(parent.id)).filter(({ kind }) => kind === 'bot.not_adopted');
      const text = '@refused_bot could not be adopted: Bad Request: BOT_NOT_MANAGED';
      const isTold = async () => (await untaken()).some((event) => event.text === text);
      await waitFor(isTold, { ...TAKEN_UP, message: text });
      const letters = () => fleet.rest<DeliveryResource[]>(`/api/deliveries?bot_id=${parent.id}&state=dead`);
      await waitFor(async () => (await letters()).length === (await untaken()).length, TAKEN_UP);
      const dead = await letters();
      for (const letter of dead) {
        expect(letter).toMatchObject({ reader: 'rules', reason_code: 'refused', last_status: 400 });
      }
      await fleet.control.clearFaults({});
      await fleet.rest('/api/deliveries/redrive', { bot_id: parent.id, ids: dead.map(({ id }) => id) });
      await adopted('refused_bot');
    },
    TEST_MS,
  );
});

test(
  'a bot has the owner who was told of last, although the worker is killed at the one before',
  async () => {
    const { id, username } = await make('passed_on_bot');
    await adopted(username);
    const tell = (owner: number) => {
      const raw = JSON.stringify({ user: { id: owner, is_bot: false, first_name: 'O' }, bot: { id, username } });
      return fleet.control.injectUpdate({ bot: parent.platformId, kind: 'managed_bot', raw });
    };
    const before = (await callsOf('getManagedBotToken')).length;
    const hangsOnce = { method: 'getManagedBotToken', count: 1, effect: { kind: 'hang' } } as const;
    await fleet.control.setFault({ bot: parent.platformId, ...hangsOnce });
    await tell(OWNER + 1);
    await waitFor(async () => (await callsOf('getManagedBotToken')).length > before, TAKEN_UP);
    await tell(OWNER + 2);
    // Another bot is told of behind them, and adopted beside them.
    await adopted((await make('passed_by_bot')).username);
    await fleet.workers.splice(0, 1)[0]!.kill();
    await fleet.start('worker');
    const readers = () => fleet.rest<ReaderResource[]>(`/api/bots/readers?bot_id=${parent.id}`);
    const behind = async () => (await readers()).find(({ reader }) => reader === 'rules')?.behind;
    await waitFor(async () => (await behind()) === 0, { ...TAKEN_UP, message: 'all being handled' });
    expect(await adopted(username)).toMatchObject({ owner_user_id: OWNER + 2 });
  },
  TEST_MS,
);

test(
  'a bot has the owner of the update that came last, and its present token, if the platform pushes an older update behind a newer one',
  async () => {
    const pushed = await fleet.addBot({ adopts: true, webhook_mode: true }, { manages: true });
    const { secretToken } = await fleet.control.readWebhook({ bot: pushed.platformId });
    // The platform itself does not reach the webhook.
    const { id, username } = await fleet.control.createManagedBot({ person: OWNER, bot: pushed.platformId });
    const push = async (updateId: number, owner: number) => {
      const managed = { user: { id: owner, is_bot: false, first_name: 'O' }, bot: { id, username, first_name: 'M' } };
      const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secretToken };
      const body = JSON.stringify({ update_id: updateId, managed_bot: managed });
      const answer = await fetch(`${fleet.url}/telegram/${pushed.id}`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
    };
    const has = (owner: number) => async () => {
      const [bot] = await fleet.rest<BotResource[]>(`/api/bots?parent_bot_id=${pushed.id}`);
      return bot?.owner_user_id === owner && bot.token === (await tokenAtPlatform(id));
    };
    await push(901, OWNER + 1);
    await waitFor(has(OWNER + 1), { ...TAKEN_UP, message: 'the newer owner' });
    await fleet.control.revokeToken({ bot: id });
    await push(900, OWNER);
    await waitFor(has(OWNER), { ...TAKEN_UP, message: 'the owner of the update that came last' });
  },
  TEST_MS,
);

const token = async (id: number) => (await fleet.rest<{ token: string }>(`/api/bots/show?id=${id}`)).token;

describe('a token that is rotated', () => {
  test(
    'loses no update of a backend and of a program that stays connected with its own token',
    async () => {
      const made = await make('rotated_bot');
      const bot = await adopted('rotated_bot');
      const [book, ofProgram] = [ledger(), ledger()];
      const taking = await startBackend((request, response) => {
        book.record(request.text);
        response.end();
      });
      await fleet.rest('/api/bots/update', { id: bot.id, backend_url: taking.url });
      const [program] = await fleet.rest<ProgramResource[]>(`/api/programs?bot_id=${bot.id}`);
      const own = await fleet.rest<{ token: string }>('/api/programs/tokens/add', {
        program_id: program!.id,
        name: 'app',
      });
      const load = { chats: 5, count: 500, perSecond: 100 };
      const connected = new AbortController();
      const polling = poll(own.token, ofProgram.record, connected.signal);
      await fleet.control.generate({ bots: [made.id], ...load });
      const tokens = new Set([await token(bot.id)]);
      for (let times = 0; times < 3; times += 1) {
        await waitFor(() => book.count() > (times + 1) * 100, TAKEN_UP);
        const rotated = await fleet.rest<BotResource>('/api/bots/rotate-token', { id: bot.id });
        tokens.add(rotated.token);
        expect(rotated.token).toBe(await tokenAtPlatform(made.id));
      }
      expect(tokens.size).toBe(4);
      await waitFor(() => book.count() === load.count && ofProgram.count() === load.count, TAKEN_UP);
      expect([...book.faults(100), ...ofProgram.faults(100)]).toEqual([]);
      connected.abort();
      expect(await polling).toEqual([]);
      await taking.stop();
      const entries = await fleet.rest<AuditEntryResource[]>(`/api/adminlog?bot_id=${bot.id}&action=rotate_token`);
      expect(entries).toHaveLength(3);
      for (const secret of tokens) expect(JSON.stringify(entries)).not.toContain(secret.split(':')[1]);
    },
    TEST_MS,
  );

  test(
    'is stored by the next call if the process died after the platform gave it; a webhook gets its new secret',
    async () => {
      const made = await make('webhook_bot');
      const bot = await adopted('webhook_bot');
      await fleet.rest('/api/bots/update', { id: bot.id, webhook_mode: true });
      const secret = (await fleet.control.readWebhook({ bot: made.id })).secretToken;
      await fleet.rest('/api/bots/update', { id: parent.id, adopts: false });
      expect((await replaceAtPlatform(made.id)).status).toBe(200);
      const given = await tokenAtPlatform(made.id);
      expect(await fleet.rest('/api/bots/rotate-token', { id: bot.id })).toMatchObject({ token: given });
      const webhook = await fleet.control.readWebhook({ bot: made.id });
      expect(webhook.url).toBe(`http://127.0.0.1:1/telegram/${bot.id}`);
      expect(webhook.secretToken).not.toBe(secret);
      await expect(fleet.rest('/api/bots/rotate-token', { id: parent.id })).rejects.toThrow('No bot here manages');
    },
    TEST_MS,
  );
});

/** A program that polls as client libraries do; resolves with the answers that were no success. */
async function poll(own: string, record: (update: string) => void, signal: AbortSignal): Promise<string[]> {
  const failures: string[] = [];
  for (let offset = 0; !signal.aborted; ) {
    const url = `${fleet.url}/tgapi/bot${own}/getUpdates?timeout=5&offset=${offset}`;
    const response = await fetch(url, { signal }).catch(() => null);
    if (response === null) break;
    const text = await response.text().catch(() => '');
    if (!response.ok) failures.push(text);
    const { result = [] } = JSON.parse(text === '' ? '{}' : text) as { result?: { update_id: number }[] };
    for (const update of result) record(JSON.stringify(update));
    offset = (result.at(-1)?.update_id ?? offset - 1) + 1;
  }
  return failures;
}
