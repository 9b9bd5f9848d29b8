import type { EventResource } from '@flotilla/contract/events.ts';
import { startBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { knock } from '@flotilla/testing/knocking-programs.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RoutingScene, routingScene } from './routing/routing-scene.ts';

const PATIENCE = { timeoutMs: 60_000 };
const TEST_MS = 120_000;

let fleet: Fleet;
let scene: RoutingScene;

beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 1 });
  scene = await routingScene(fleet);
}, 120_000);
afterAll(async () => {
  await scene?.close();
  await fleet?.stop();
}, 60_000);

const urlOf = (at: number) => `http://127.0.0.1:${fleet.apis[at]!.port}`;
const send = (bot: FleetBot, chat: number, at = 0) =>
  fetch(`${urlOf(at)}/tgapi/bot${bot.token}/sendMessage?chat_id=${chat}&text=by+the+program`, { method: 'POST' });
const refused = async (bot: FleetBot) => (await fleet.control.readLimits({ bot: bot.platformId })).refused;
const floodUntil = async ({ id }: FleetBot, at: number) => {
  const { json } = await restClient(urlOf(at), ADMIN_KEY)('GET', `/api/bots/show?id=${id}`);
  return (json as { flood_until: string | null }).flood_until;
};

/** The platform makes the bot wait, one replica hears of it, and the others by that. */
async function flood(bot: FleetBot, chat: number, seconds: number): Promise<void> {
  await fleet.control.setFloodWait({ bot: bot.platformId, chat, family: 'send', seconds });
  expect((await send(bot, chat)).status).toBe(429);
  for (const at of fleet.apis.keys())
    await waitFor(async () => typeof (await floodUntil(bot, at)) === 'string', PATIENCE);
}

/** The tests of a group run in parallel, because each waits for the end of a flood; no two of them share a bot. */
describe('a 429 that an api got', () => {
  test.concurrent(
    'lets the rules of a worker wait, which then send without another refusal',
    async () => {
      const [source, target] = [await fleet.addBot(), await fleet.addBot()];
      const ada = await scene.person([source]);
      const desk = await scene.person([target]);
      await scene.rule(source, target, desk);
      await flood(target, desk, 5);
      for (const text of ['one', 'two']) {
        await fleet.control.sendMessage({ person: ada, bot: source.platformId, text });
      }
      await scene.sent(target, desk, 2, 30_000);
      expect((await scene.shown(target, desk)).map(({ text }) => text)).toEqual(['one', 'two']);
      expect(await refused(target)).toBe(1);
    },
    TEST_MS,
  );

  test.concurrent(
    'keeps a call in the answer of a backend from the platform, and the attempt says why',
    async () => {
      const person = await fleet.control.createPerson({});
      const backend = await startBackend((_request, response) => {
        const reply = JSON.stringify({ method: 'sendMessage', chat_id: person.id, text: 'by reply' });
        response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
      });
      const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
      await fleet.control.startBot({ person: person.id, bot: bot.platformId, quietly: true });
      await flood(bot, person.id, 60);
      await fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text: 'hello' });
      const attempts = () =>
        fleet.rest<{ call_error?: string }[]>(`/api/deliveries/attempts?bot_id=${bot.id}`).catch(() => []);
      await waitFor(async () => (await attempts()).length > 0, PATIENCE);
      const [attempt] = await attempts();
      expect(attempt!.call_error).toMatch(/^The call of sendMessage in the answer did not succeed: 429 Too Many Req/);
      expect(await refused(bot)).toBe(1);
      await backend.stop();
    },
    TEST_MS,
  );

  test.concurrent(
    'is an event when it lasts, and so is its end',
    async () => {
      const bot = await fleet.addBot();
      const person = await scene.person([bot]);
      await flood(bot, person, 14);
      const kinds = async () =>
        (await fleet.rest<EventResource[]>(`/api/events?bot_id=${bot.id}&kinds=flood.began,flood.ended`))
          .map(({ kind }) => kind)
          .reverse();
      await waitFor(async () => (await kinds()).length === 2, PATIENCE);
      expect(await kinds()).toEqual(['flood.began', 'flood.ended']);
    },
    TEST_MS,
  );
});

describe('whoever sends into a quiet chat', () => {
  type Sender = { bot: FleetBot; desk: number; reader: number; source: FleetBot; ada: number };

  async function senders(): Promise<Sender> {
    const [bot, source] = [await fleet.addBot({ flood: 'shield' }), await fleet.addBot()];
    const [desk, reader, ada] = [await scene.person([bot]), await scene.person([bot]), await scene.person([source])];
    await scene.rule(source, bot, desk);
    return { bot, desk, reader, source, ada };
  }
  const answer = (bot: FleetBot, chat: number, text: string) =>
    fleet.rest('/api/messages/send', { bot_id: bot.id, chat_id: chat, text });
  const later = (bot: FleetBot, chat: number, text: string) =>
    fleet.rest('/api/outbox/add', { bot_id: bot.id, method: 'sendMessage', params: { chat_id: chat, text } });
  const sendAs = (token: string, chat: number, at: number) =>
    fetch(`${urlOf(at)}/tgapi/bot${token}/sendMessage?chat_id=${chat}&text=x`, { method: 'POST' });
  const textsTo = async (bot: FleetBot, chat: number) => (await scene.shown(bot, chat)).map(({ text }) => text);

  test.concurrent(
    'is not kept from it by a token that may fill three groups, and does so',
    async () => {
      const { bot, desk, reader, source, ada } = await senders();
      const groups = await Promise.all(
        [1, 2, 3].map(async () => {
          const admins = [{ bot: bot.platformId }];
          return (await fleet.control.createChat({ type: 'group', creator: reader, admins })).id;
        }),
      );
      for (const chat of groups) {
        await fleet.control.setFloodWait({ bot: bot.platformId, chat, family: 'send', seconds: 300 });
      }
      const { id } = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name: 'limited' });
      const fields = { program_id: id, name: 'three groups', chats: groups };
      const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', fields);
      await waitFor(async () => (await sendAs(token, groups[0]!, 0)).status === 429, PATIENCE);
      for (const chat of groups) expect((await sendAs(token, chat, 0)).status).toBe(429);
      await answer(bot, reader, 'by a person');
      await later(bot, reader, 'by the outbox');
      await fleet.control.sendMessage({ person: ada, bot: source.platformId, text: 'by a rule' });
      expect((await sendAs(bot.token, reader, 1)).status).toBe(200);
      await scene.sent(bot, desk, 1, 60_000);
      await waitFor(async () => (await textsTo(bot, reader)).includes('by the outbox'), PATIENCE);
      expect(await textsTo(bot, reader)).toEqual(expect.arrayContaining(['by a person', 'x']));
      expect(await refused(bot)).toBe(groups.length);
    },
    TEST_MS,
  );

  test.concurrent(
    'finds out within seconds that the bot need not rest any more, and then all go on',
    async () => {
      const { bot, desk, reader, source, ada } = await senders();
      const chats = await Promise.all(Array.from({ length: 4 }, () => scene.person([bot])));
      await fleet.control.setFloodWait({ bot: bot.platformId, family: 'send', seconds: 300 });
      for (const chat of chats) expect((await send(bot, chat)).status).toBe(429);
      const isHeld = async () =>
        answer(bot, reader, 'too early').then(
          () => false,
          () => true,
        );
      expect(await isHeld()).toBe(true);
      expect(await refused(bot)).toBe(chats.length);
      await fleet.control.setFloodWait({ bot: bot.platformId, family: 'send', seconds: 0 });
      await later(bot, desk, 'by the outbox');
      await fleet.control.sendMessage({ person: ada, bot: source.platformId, text: 'by a rule' });
      // The outbox or the rule makes the try; it is for the same chat.
      await scene.sent(bot, desk, 2, 60_000);
      await answer(bot, reader, 'by a person');
    },
    TEST_MS,
  );
});

describe('ten programs of one bot that go on sending, whatever they are answered', () => {
  type Knocks = { limits: object; chats: number; seconds: number };

  async function knockAs(mode: 'pass' | 'shield' | 'wait', { limits, chats: count, seconds }: Knocks) {
    const bot = await fleet.addBot({ flood: mode });
    const chats = await Promise.all(Array.from({ length: count }, () => scene.person([bot])));
    await fleet.control.setLimits({ bot: bot.platformId, limits });
    const urls = [urlOf(0), urlOf(1)];
    return knock({ control: fleet.control, urls, bot, chats, programs: 10, pauseMs: 20, seconds });
  }

  test(
    'are refused by the platform more seldom with the shield, and get more through',
    async () => {
      const limits = { perChatSecond: 1, chatBurst: 5, waitGrowth: 2, longestWaitS: 300 };
      const knocks = { limits, chats: 1, seconds: 5 };
      const without = await knockAs('pass', knocks);
      const shielded = await knockAs('shield', knocks);
      const waiting = await knockAs('wait', knocks);
      // The wait grows while they knock, so the platform takes nothing more. `npm run bench flood` tells by how much that differs.
      for (const saved of [shielded, waiting]) {
        expect(saved.refused).toBeLessThan(without.refused);
        expect(saved.delivered).toBeGreaterThan(without.delivered);
      }
    },
    TEST_MS,
  );

  test(
    'into chats of their own, of which the platform limits all together, do not lengthen their wait either',
    async () => {
      const limits = { perSecond: 20, waitGrowth: 2, longestWaitS: 300 };
      const knocks = { limits, chats: 10, seconds: 5 };
      const without = await knockAs('pass', knocks);
      const shielded = await knockAs('shield', knocks);
      expect(shielded.refused).toBeLessThan(without.refused);
      expect(shielded.delivered).toBeGreaterThan(without.delivered);
    },
    TEST_MS,
  );
});
