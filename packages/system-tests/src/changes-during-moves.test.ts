import type { BotResource } from '@flotilla/contract/bots.ts';
import type { EventResource } from '@flotilla/contract/events.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MOVED_WITHIN_MS, movingBots } from './moving-bots.ts';
import { type SideBySide, startSideBySide } from './servers-side-by-side.ts';

const TEST_MS = 120_000;
const WAITED = { timeoutMs: MOVED_WITHIN_MS };

let servers: SideBySide;
let bots: ReturnType<typeof movingBots>;

beforeAll(async () => {
  servers = await startSideBySide({ apis: 1, workers: 1 });
  bots = movingBots(servers);
  await servers.cloud.setLogOutWait({ seconds: 0 });
}, 60_000);
afterEach(() => servers.cloud.clearFaults({}));
afterAll(() => servers?.stop(), 60_000);

const rest = <T = unknown>(path: string, body?: object) => servers.fleet.rest<T>(path, body);
const fails = (bot: FleetBot, method: string) =>
  servers.cloud.setFault({ bot: bot.platformId, method, effect: { kind: 'reset' } });
const works = () => servers.cloud.clearFaults({});
const callsOf = async (bot: FleetBot, method: string) =>
  (await servers.cloud.readCalls({ bot: bot.platformId, method })).calls;

test(
  'a chat that is taken over stays so while its bot moves, and the bot gets at the next server what it missed, in order',
  async () => {
    const { bot, person, say } = await bots.botWithPerson();
    const read = bots.reader(bot);
    const chat = { bot_id: bot.id, chat_id: person };
    await say('before');
    await read.until('before');
    const history = () => rest<{ text: string }[]>(`/api/messages?bot_id=${bot.id}&chat_id=${person}`);
    const isKept = (text: string) => waitFor(async () => (await history()).some((one) => one.text === text), WAITED);
    await isKept('before');
    await rest('/api/chats/takeover', chat);
    await say('held here');
    await fails(bot, 'getMe');
    await bots.move(bot, 'local');
    await bots.reaches(bot, 'log_in');
    await say('held between');
    // A person cannot answer meanwhile, and is told why.
    await expect(rest('/api/messages/send', { ...chat, text: 'not now' })).rejects.toThrow('moves to');
    await works();
    await bots.arrives(bot, 'local');
    await say('held there');
    await rest('/api/messages/send', { ...chat, text: 'by a person' });
    await isKept('held there');
    await rest('/api/chats/release', { ...chat, deliver_missed: true });
    await say('after');
    await read.until('after');
    expect(read.texts()).toEqual(['before', 'held here', 'held between', 'held there', 'after']);
    expect(read.idsRise()).toBe(true);
  },
  TEST_MS,
);

describe('a token that is replaced while its bot moves', () => {
  const give = (bot: FleetBot, token: string) => rest('/api/bots/update', { id: bot.id, token });

  test.each([
    ['is refused', { kind: 'status', status: 400, description: 'Bad Request: not yet' }],
    ['is not answered, so that it may have left', { kind: 'reset' }],
  ] as const)(
    'is given while the bot is still where it was, also after the old one ended while the logOut %s',
    async (_how, effect) => {
      const { bot, say } = await bots.botWithPerson();
      await servers.cloud.setFault({ bot: bot.platformId, method: 'logOut', effect });
      await bots.move(bot, 'local');
      await bots.reaches(bot, 'log_out');
      await waitFor(async () => (await callsOf(bot, 'logOut')).length > 0, WAITED);
      const { token } = await servers.cloud.revokeToken({ bot: bot.platformId });
      await works();
      await bots.waitsFor(bot, '401');
      await bots.reaches(bot, 'drain');
      await give(bot, token);
      await bots.arrives(bot, 'local');
      await say('with the new token');
      await bots.reader(bot).until('with the new token');
    },
    TEST_MS,
  );

  test(
    'is given while the webhook cannot be set with the old one',
    async () => {
      const { bot, say } = await bots.botWithPerson({ webhook_mode: true });
      await fails(bot, 'setWebhook');
      await bots.move(bot, 'local');
      await bots.reaches(bot, 'start');
      const { token } = await servers.cloud.revokeToken({ bot: bot.platformId });
      await works();
      await bots.waitsFor(bot, 'refused');
      await give(bot, token);
      await bots.arrives(bot, 'local');
      await say('pushed');
      await bots.reader(bot).until('pushed');
    },
    TEST_MS,
  );
});

test(
  'a webhook that is switched off while it is being set at the next server is not left there',
  async () => {
    const { bot, say } = await bots.botWithPerson({ webhook_mode: true });
    await servers.cloud.setFault({
      ...{ bot: bot.platformId, method: 'setWebhook', count: 1 },
      effect: { kind: 'delay', delayMs: 25_000 },
    });
    await bots.move(bot, 'local');
    const isBeingSet = async () => (await callsOf(bot, 'setWebhook')).some(({ server }) => server === 'local');
    await waitFor(isBeingSet, WAITED);
    await rest('/api/bots/update', { id: bot.id, webhook_mode: false });
    // Otherwise it was set before.
    expect((await bots.shown(bot)).moving?.step).toBe('start');
    await bots.arrives(bot, 'local');
    expect(await servers.local.readWebhook({ bot: bot.platformId })).toMatchObject({ url: '' });
    await say('polled');
    await bots.reader(bot).until('polled');
  },
  TEST_MS,
);

test(
  'a move goes on in read-only mode, and none begins',
  async () => {
    const [{ bot, say }, { bot: other }] = [await bots.botWithPerson(), await bots.botWithPerson()];
    await fails(bot, 'getMe');
    await bots.move(bot, 'local');
    await bots.reaches(bot, 'log_in');
    await rest('/api/system/read-only', { read_only: true, reason: 'an upgrade' });
    try {
      await expect(bots.move(other, 'local')).rejects.toThrow('503');
      await expect(bots.move(bot, 'default')).rejects.toThrow('503');
      await works();
      await bots.arrives(bot, 'local');
      await say('read-only');
      await bots.reader(bot).until('read-only');
      expect((await bots.shown(other)).moving).toBeUndefined();
    } finally {
      await rest('/api/system/read-only', { read_only: false });
    }
  },
  TEST_MS,
);

test(
  'a person is erased while the bot moves: what waits to be sent to them is not sent at the next server',
  async () => {
    const { bot, person, say } = await bots.botWithPerson();
    const read = bots.reader(bot);
    await say('before');
    await read.until('before');
    await fails(bot, 'getMe');
    await bots.move(bot, 'local');
    await bots.reaches(bot, 'log_in');
    const entry = { method: 'sendMessage', params: { chat_id: person, text: 'not any more' } };
    await rest('/api/outbox/add', { bot_id: bot.id, ...entry });
    await rest('/api/people/erase', { user_id: person });
    await waitFor(async () => (await rest<object[]>(`/api/outbox?bot_id=${bot.id}`)).length === 0, WAITED);
    await works();
    await bots.arrives(bot, 'local');
    await say('after');
    await read.until('after');
    expect(read.idsRise()).toBe(true);
    expect(await callsOf(bot, 'sendMessage')).toEqual([]);
  },
  TEST_MS,
);

describe('managed bots', () => {
  const OWNER = 737_373;
  let parent: FleetBot;
  beforeAll(() => servers.cloud.createPerson({ id: OWNER }));
  beforeEach(async () => {
    ({ bot: parent } = await bots.botWithPerson(
      { adopts: true, template: { long_poll_enabled: true } },
      { manages: true },
    ));
  });

  const adopted = (platformId: number) =>
    waitFor(
      async () => (await rest<BotResource[]>('/api/bots')).find(({ token }) => token.startsWith(`${platformId}:`)),
      { timeoutMs: 90_000, message: 'the bot being adopted' },
    ) as Promise<BotResource>;
  const make = async (username: string) => {
    const made = await servers.cloud.createManagedBot({ person: OWNER, bot: parent.platformId, username });
    return { made, bot: { id: 0, token: made.token, platformId: made.id, username } satisfies FleetBot };
  };
  const tokenOf = async ({ id }: { id: number }) => (await rest<{ token: string }>(`/api/bots/show?id=${id}`)).token;

  test(
    'are adopted after their parent has arrived, whose token is asked for at no server in between',
    async () => {
      await fails(parent, 'getManagedBotToken');
      const { made } = await make('between_bot');
      await waitFor(async () => (await callsOf(parent, 'getManagedBotToken')).length > 0, WAITED);
      await works();
      await fails(parent, 'getMe');
      await bots.move(parent, 'local');
      await bots.reaches(parent, 'log_in');
      const asked = (await callsOf(parent, 'getManagedBotToken')).length;
      const { made: later } = await make('later_bot');
      await works();
      await bots.arrives(parent, 'local');
      for (const { id } of [made, later]) expect((await adopted(id)).parent_bot_id).toBe(parent.id);
      const { calls } = await servers.cloud.readCalls({ bot: parent.platformId, method: 'getManagedBotToken' });
      expect(new Set(calls.slice(asked).map(({ server }) => server))).toEqual(new Set(['local']));
    },
    TEST_MS,
  );

  test('get the token that their owner replaced while no server takes the bot back', async () => {
    await bots.move(parent, 'local');
    await bots.arrives(parent, 'local');
    const { made, bot: known } = await make('replaced_bot');
    // It is where its parent is.
    const bot = { ...known, id: (await adopted(made.id)).id };
    await servers.local.setLogOutWait({ seconds: 600 });
    await bots.move(bot, 'default');
    await bots.arrives(bot, 'default');
    await bots.move(bot, 'local');
    await bots.waitsFor(bot, 'ten minutes');
    const url = `${servers.fleet.url}/tgapi/bot${parent.token}/replaceManagedBotToken?user_id=${made.id}`;
    expect((await fetch(url)).status).toBe(200);
    const retrying = async () => {
      const all = await rest<{ attempts: number }[]>(`/api/deliveries?bot_id=${parent.id}&state=retrying`);
      return all.some(({ attempts }) => attempts >= 5);
    };
    await waitFor(retrying, { timeoutMs: 60_000, message: 'more tries than a refusal gets' });
    const untaken = await rest<EventResource[]>(`/api/events?bot_id=${parent.id}&kinds=bot.not_adopted`);
    expect(untaken).toEqual([]);
    await servers.local.setLogOutWait({ seconds: 0 });
    await waitFor(async () => (await tokenOf(bot)) !== made.token, { timeoutMs: 90_000, message: 'the new token' });
    await bots.arrives(bot, 'local');
  }, 240_000);
});
