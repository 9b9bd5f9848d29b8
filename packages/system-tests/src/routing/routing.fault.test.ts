import { randomBytes } from 'node:crypto';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { FLEET_ENCRYPTION_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RoutingScene, routingScene } from './routing-scene.ts';

const MESSAGES = 15;
const WRITERS = 4;
const KILLS = 3;

let fleet: Fleet;
let scene: RoutingScene;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  scene = await routingScene(fleet);
}, 60_000);
afterAll(async () => {
  await scene?.close();
  await fleet?.stop();
}, 60_000);

test('a worker that is killed while it sends leaves at most what was in flight in doubt, as each rule wants it', async () => {
  const [source, target] = [await fleet.addBot(), await fleet.addBot()];
  const writers = await Promise.all(Array.from({ length: WRITERS }, () => scene.person([source])));
  const desks = await Promise.all(
    writers.map(async (writer) => {
      const [repeated, once] = [await scene.person([target]), await scene.person([target])];
      const condition = { condition_type: 'chat_id', condition_value: writer };
      await scene.rule(source, target, repeated, condition);
      await scene.rule(source, target, once, { ...condition, delivery: 'at_most_once' });
      return { writer, repeated, once };
    }),
  );
  // The delay keeps some calls in flight whenever a worker dies.
  await fleet.control.setFault({
    bot: target.platformId,
    method: 'sendMessage',
    effect: { kind: 'delay', delayMs: 300 },
  });
  for (let at = 0; at < MESSAGES; at += 1) {
    for (const { writer } of desks) {
      await fleet.control.sendMessage({ person: writer, bot: source.platformId, text: String(at) });
    }
  }
  for (let kills = 0; kills < KILLS; kills += 1) {
    const before = (await scene.shown(target, desks[0]!.repeated)).length;
    await scene.sent(target, desks[0]!.repeated, before + 2, 60_000);
    const [worker] = fleet.workers.splice(0, 1);
    await worker!.kill();
    await fleet.start('worker');
  }
  await scene.settled(source, 120_000);

  const wanted = Array.from({ length: MESSAGES }, (_, at) => at);
  for (const { repeated, once } of desks) {
    const arrived = (await scene.shown(target, repeated)).map((message) => Number(message.text));
    expect(arrived.filter((text, at) => text !== arrived[at - 1])).toEqual(wanted);
    expect(arrived.length).toBeLessThanOrEqual(MESSAGES + KILLS);
    const arrivedOnce = (await scene.shown(target, once)).map((message) => Number(message.text));
    expect(arrivedOnce).toEqual([...new Set(arrivedOnce)].sort((a, b) => a - b));
    expect(arrivedOnce.length).toBeGreaterThanOrEqual(MESSAGES - KILLS);
  }
  const hits = async () => {
    const rules = await fleet.rest<{ hits: number }[]>(`/api/routes?bot_id=${source.id}`);
    return rules.map((rule) => rule.hits);
  };
  // Each message once, whoever died with it.
  const counted = desks.flatMap(() => [MESSAGES, MESSAGES]);
  await waitFor(async () => (await hits()).every((count) => count >= MESSAGES), { timeoutMs: 30_000 });
  expect(await hits()).toEqual(counted);
}, 240_000);

test('a worker that cannot decrypt the newest rules gives messages back, as often as it claims them', async () => {
  const redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
  const [source, target] = [await fleet.addBot(), await fleet.addBot()];
  const [writer, first, second] = [
    await scene.person([source]),
    await scene.person([target]),
    await scene.person([target]),
  ];
  const { id } = await scene.rule(source, target, first);
  const { state, rulesWork, rulesInFlight } = botKeys(source.id);
  // The message is in its lane, and waits for its second try until the other api runs.
  const refusal = { kind: 'status', status: 429, retryAfterS: 15 } as const;
  await fleet.control.setFault({ bot: target.platformId, method: 'sendMessage', count: 1, effect: refusal });
  await fleet.control.sendMessage({ person: writer, bot: source.platformId, text: 'one' });
  await waitFor(async () => (await redis.commands.hkeys(rulesWork)).some((field) => field.startsWith('r:')));

  const ENCRYPTION_KEY = `new:${randomBytes(32).toString('base64')},old:${FLEET_ENCRYPTION_KEY}`;
  const [api] = fleet.apis.splice(0, 1);
  await fleet.start('api', { ENCRYPTION_KEY });
  await api?.stop();
  await fleet.rest('/api/routes/update', { id, target_chat_id: second });
  const isClaimed = async () => (await redis.commands.hlen(rulesInFlight)) > 0;
  await waitFor(isClaimed, { timeoutMs: 60_000, message: 'the message being due', pauseMs: 10 });
  const claims = new Set<string | null>();
  const claimsAgain = async () => {
    claims.add(await redis.commands.hget(state, 'rulesClaim'));
    return claims.size > 50;
  };
  await waitFor(claimsAgain, { timeoutMs: 30_000, message: 'fifty claims', pauseMs: 10 });
  expect(await scene.shown(target, second)).toEqual([]);

  const [worker] = fleet.workers.splice(0, 1);
  await fleet.start('worker', { ENCRYPTION_KEY });
  await worker?.stop();
  await scene.settled(source);
  expect((await scene.shown(target, second)).map(({ text }) => text)).toEqual(['one']);
  expect(await fleet.rest(`/api/deliveries?bot_id=${source.id}&state=dead`)).toEqual([]);
  await redis.close();
}, 180_000);
