import type { RouteDecision } from '@flotilla/contract/route-decisions.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { openLive } from '@flotilla/testing/live-client.ts';
import { choose, type ModelServer, startModelServer } from '@flotilla/testing/model-server.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type RoutingScene, routingScene } from './routing-scene.ts';

let fleet: Fleet;
let model: ModelServer;
let scene: RoutingScene;
/** What the model chooses by; a message names the bot. */
const byName: ModelServer['answer'] = (question) =>
  choose(question, question.bots.find(({ name }) => question.message.includes(name))?.name ?? '');

beforeAll(async () => {
  model = await startModelServer(byName);
  const settings = {
    LLM_API_URL: model.url,
    LLM_API_KEY: 'sk-the-key-of-the-model',
    LLM_MODEL: 'small',
    LLM_TIMEOUT_MS: '60000',
    LLM_ALLOWED_CIDRS: '127.0.0.0/8',
  };
  fleet = await startFleet({ apis: 2, workers: 2 }, settings);
  scene = await routingScene(fleet);
}, 60_000);
afterEach(() => {
  model.answer = byName;
});
afterAll(async () => {
  await scene?.close();
  await fleet?.stop();
  await model?.stop();
}, 60_000);

type Scene = { source: FleetBot; shop: FleetBot; desk: FleetBot; ruleId: number; ada: number };

async function shopScene(rule: object = {}): Promise<Scene> {
  const [source, shop, desk] = await Promise.all([
    fleet.addBot(),
    fleet.addBot({ name: 'Shop', description: 'Orders' }),
    fleet.addBot({ name: 'Desk', description: 'Invoices' }),
  ]);
  const { id } = await scene.rule(source, { ...source, id: 0 }, 0, {
    condition_type: 'llm',
    candidate_bot_ids: [shop.id, desk.id],
    ...rule,
  });
  return { source, shop, desk, ruleId: id, ada: await scene.person([source, shop, desk]) };
}

const say = (person: number, bot: FleetBot, text: string) =>
  fleet.control.sendMessage({ person, bot: bot.platformId, text });
const decisions = (bot: FleetBot) => fleet.rest<RouteDecision[]>(`/api/routes/decisions?bot_id=${bot.id}`);
const sentTexts = async (bot: FleetBot, person: number) =>
  (await scene.shown(bot, person)).map(({ text }) => text).filter((text) => text !== '/start');

describe('the router', () => {
  test('sends a message by the bot it chooses, and says why', async () => {
    const { source, shop, desk, ruleId, ada } = await shopScene();
    await say(ada, source, 'Desk, card 4111 1111 1111 1111');
    await scene.sent(desk, ada, 1);
    expect(await decisions(source)).toEqual([
      {
        at: expect.stringMatching(/Z$/),
        route_id: ruleId,
        chat_id: ada,
        target_bot_id: desk.id,
        reason: 'it fits',
        by: 'model',
        sticky: false,
        duration_ms: expect.any(Number),
        tokens: 120,
      },
    ]);
    expect(model.questions.at(-1)?.message).toBe('Desk, card [number]');
    expect(await sentTexts(shop, ada)).toEqual([]);
  });

  test('tells who does not see the chosen bot neither its name nor its id', async () => {
    const { source, desk, ada } = await shopScene();
    const bots = { name: `limited-${source.id}`, bot_ids: [source.id] };
    const { key } = await fleet.rest<{ key: string }>('/api/auth/api-keys', bots);
    model.answer = (question) => choose(question, 'Desk', 'Desk is for invoices');
    const watchers = await Promise.all(
      [key, ADMIN_KEY].map((one) => openLive(fleet.url, `bot:${source.id}`, { key: one })),
    );
    await say(ada, source, 'an invoice');
    await scene.sent(desk, ada, 1);
    const told = await waitFor(
      () => {
        const events = watchers.map((watcher) => watcher.named('route')[0]?.data);
        return events.every((event) => event !== undefined) && events;
      },
      { message: 'both being told' },
    );
    for (const watcher of watchers) watcher.close();
    const hidden = { target_bot_id: 0, reason: 'it is about bots that you may not see' };
    const shown = { target_bot_id: desk.id, reason: 'Desk is for invoices' };
    expect(told).toMatchObject([hidden, shown]);
    const limited = restClient(fleet.url, key);
    const listed = await limited('GET', '/api/routes/decisions', { query: { bot_id: source.id } });
    expect(listed.json).toMatchObject([hidden]);
    expect(JSON.stringify([listed.json, told])).not.toContain('about":');
    expect(await decisions(source)).toMatchObject([shown]);
  });

  test('stays with its choice in that chat until /start, and asks in others', async () => {
    const { source, shop, desk, ada } = await shopScene();
    const ben = await scene.person([source, shop, desk]);
    await say(ada, source, 'Shop please');
    await scene.sent(shop, ada, 1);
    const asked = model.questions.length;
    await say(ada, source, 'and now Desk');
    await scene.sent(shop, ada, 2);
    expect(model.questions).toHaveLength(asked);
    await say(ben, source, 'Desk please');
    await scene.sent(desk, ben, 1);
    await say(ada, source, '/start');
    await say(ada, source, 'Desk again');
    await scene.sent(desk, ada, 1);
    expect((await decisions(source)).map(({ sticky, target_bot_id: id }) => [sticky, id])).toEqual([
      [false, desk.id],
      [false, desk.id],
      [true, shop.id],
      [false, shop.id],
    ]);
  });

  test('is asked only when no other rule matches, and sends nothing if no bot fits', async () => {
    const { source, shop, desk, ada } = await shopScene();
    const clerk = await scene.person([desk]);
    await scene.rule(source, desk, clerk, { condition_type: 'keyword', condition_value: 'urgent' });
    const asked = model.questions.length;
    await say(ada, source, 'Shop, urgent!');
    await scene.sent(desk, clerk, 1);
    expect(model.questions).toHaveLength(asked);
    await say(ada, source, 'What is the time?');
    await waitFor(async () => (await decisions(source)).length === 1, { message: 'a decision' });
    await scene.settled(source);
    expect(await sentTexts(shop, ada)).toEqual([]);
    expect(await sentTexts(desk, ada)).toEqual([]);
    expect(await decisions(source)).toMatchObject([{ target_bot_id: null }]);
  });

  test('delays neither other rules nor answers to questions while 150 chats wait for a slow model, and keeps the order of each', async () => {
    const { source, shop, ada } = await shopScene();
    const clerk = await scene.person([shop]);
    await scene.rule(source, shop, clerk, { condition_type: 'keyword', condition_value: 'rule' });
    const asked = { bot_id: source.id, chat_id: ada, text: 'Well?', options: ['Yes', 'No'] };
    const question = await fleet.rest<{ id: number; message_id: number }>('/api/questions/add', asked);
    let isSlow = true;
    const waiting: (() => void)[] = [];
    model.answer = async (about, response) => {
      if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
      return byName(about, response);
    };
    const askers = await Promise.all(Array.from({ length: 150 }, () => scene.person([source, shop])));
    const before = model.questions.length;
    for (const asker of askers) await say(asker, source, 'Shop, first');
    await waitFor(() => model.questions.length >= before + 100, { message: 'a hundred being asked about' });
    await say(ada, source, 'by a rule');
    await say(askers[0] as number, source, 'by a rule, behind the question');
    const [first] = await scene.sent(shop, clerk, 1);
    expect(first?.text).toBe('by a rule');
    await fleet.control.pressButton({
      person: ada,
      bot: source.platformId,
      messageId: question.message_id,
      text: 'Yes',
    });
    await waitFor(
      async () => (await fleet.rest<{ state: string }>(`/api/questions/show?id=${question.id}`)).state === 'answered',
      { message: 'the press being taken' },
    );
    expect(await scene.shown(shop, clerk)).toHaveLength(1);
    expect(model.questions.length).toBeLessThanOrEqual(before + 100);
    isSlow = false;
    for (const go of waiting) go();
    for (const asker of askers) await scene.sent(shop, asker, 1, 60_000);
    expect(model.questions.length).toBe(before + 150);
  }, 120_000);

  test('chooses none when the model fails, once, and the next message is asked anew', async () => {
    const { source, shop, ada } = await shopScene();
    const before = model.questions.length;
    model.answer = (_question, response) => {
      response.writeHead(500).end();
      return null;
    };
    await say(ada, source, 'Shop one');
    await waitFor(async () => (await decisions(source)).length === 1, { message: 'a decision' });
    await scene.settled(source);
    expect(model.questions).toHaveLength(before + 1);
    expect(await decisions(source)).toMatchObject([{ target_bot_id: null, reason: 'the model answered 500' }]);
    model.answer = byName;
    await say(ada, source, 'Shop two');
    const [sent] = await scene.sent(shop, ada, 1);
    expect(sent?.text).toBe('Shop two');
  });

  test('goes on when the worker that asks is killed: the message is sent once', async () => {
    const { source, shop, ada } = await shopScene();
    model.answer = () => new Promise(() => {});
    const before = model.questions.length;
    await say(ada, source, 'Shop, please');
    await waitFor(() => model.questions.length > before, { message: 'the model being asked' });
    const killed = fleet.workers.splice(0, 2);
    model.answer = byName;
    await Promise.all(killed.map((worker) => worker.kill()));
    await Promise.all([fleet.start('worker'), fleet.start('worker')]);
    await scene.sent(shop, ada, 1, 60_000);
    await scene.settled(source, 60_000);
    expect(await sentTexts(shop, ada)).toEqual(['Shop, please']);
  }, 120_000);

  test('stays with its choice when a dead letter is sent again', async () => {
    const { source, desk, ada } = await shopScene();
    for (const method of ['copyMessage', 'sendMessage']) {
      await fleet.control.setFault({ bot: desk.platformId, method, effect: { kind: 'status', status: 403 } });
    }
    await say(ada, source, 'Desk, please');
    const dead = await waitFor(
      async () => (await fleet.rest<{ id: number }[]>(`/api/deliveries?bot_id=${source.id}&state=dead`))[0],
      { message: 'a dead letter' },
    );
    await fleet.control.clearFaults({});
    model.answer = (question) => choose(question, 'Shop');
    await say(ada, source, '/start');
    await fleet.rest('/api/deliveries/redrive', { ids: [(dead as { id: number }).id] });
    const [sent] = await scene.sent(desk, ada, 1);
    expect(sent?.text).toBe('Desk, please');
  });

  test('never shows the key of the model or the text of a message in a log', () => {
    const logs = [...fleet.apis, ...fleet.workers].map((process) => process.output()).join('\n');
    expect(logs).not.toMatch(/sk-the-key|4111 1111|Desk, please/);
  });
});
