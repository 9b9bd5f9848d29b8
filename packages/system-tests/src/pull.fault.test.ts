import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type BackgroundLoad, startBackgroundLoad } from './background-load.ts';

const BOTS = 20;
const POLLS_OF_EACH = 50;
const CONNECTIONS_AT_MOST = 10;

let fleet: Fleet;
let redis: RedisHandles;
/** Load without pulling, because the tests count waiting polls. */
let load: BackgroundLoad;

beforeAll(async () => {
  fleet = await startFleet();
  redis = await connectRedis({ url: fleet.redis.url, log: createLogger({ name: 'test', level: 'warn' }) });
  load = await startBackgroundLoad(fleet, { pulled: false });
}, 120_000);
afterAll(async () => {
  await redis?.close();
  await fleet?.stop();
}, 60_000);

type Update = { update_id: number; message: { text: string } };

/**
 * Sends getUpdates to one api, and again if it has no room or no Redis for a moment, as clients do. Rejects when that api
 * stops.
 */
async function poll(pod: FleetProcess, bot: FleetBot, offset: number): Promise<Update[]> {
  const url = `http://127.0.0.1:${pod.port}/tgapi/bot${bot.token}/getUpdates?timeout=50&offset=${offset}`;
  const response = await fetch(url);
  if (response.status === 503) return poll(pod, bot, offset);
  expect(response.status).toBe(200);
  return ((await response.json()) as { result: Update[] }).result;
}
const say = (bot: FleetBot, text: string) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5,"type":"private"},"text":"${text}"}`,
  });
const held = (pod: FleetProcess, polls: number) =>
  waitFor(async () => (await readMetric(pod, 'flotilla_waiting_polls')) === polls, {
    timeoutMs: 60_000,
    message: `${polls} polls that wait`,
  });
const texts = (updates: Update[]) => updates.map(({ message }) => message.text);

test('a thousand idle pollers cost a pod ten connections to Redis at most; it is killed, and each goes on elsewhere', async () => {
  const [pod, other] = fleet.apis as [FleetProcess, FleetProcess];
  const bots: FleetBot[] = [];
  while (bots.length < BOTS) bots.push(await fleet.addBot({ long_poll_enabled: true }));
  let isKilled = false;
  // A thousand connections at once may take longer to be accepted than a client waits, beside other tests.
  const pollUntilKilled = async (at: FleetProcess, bot: FleetBot): Promise<Update[] | null> => {
    while (true) {
      const answer = await poll(at, bot, 0).catch(() => null);
      if (answer !== null || isKilled) return answer;
    }
  };
  const pollAll = (at: FleetProcess) =>
    bots.map((bot) => Array.from({ length: POLLS_OF_EACH }, () => pollUntilKilled(at, bot)));
  const broken = pollAll(pod).flat();
  await held(pod, BOTS * POLLS_OF_EACH);
  const before = await redisClients();
  fleet.apis.splice(0, 1);
  isKilled = true;
  await pod.kill();
  expect(new Set(await Promise.all(broken))).toEqual(new Set([null]));
  isKilled = false;
  const answers = pollAll(other);
  await held(other, BOTS * POLLS_OF_EACH);
  const after = await redisClients();
  const ofPod = before.filter((id) => !after.includes(id)).length;
  expect(ofPod).toBeGreaterThan(0);
  expect(ofPod).toBeLessThanOrEqual(CONNECTIONS_AT_MOST);
  for (const [at, bot] of bots.entries()) await say(bot, `for ${at}`);
  for (const [at, polls] of answers.entries()) {
    for (const answer of await Promise.all(polls)) expect(texts(answer ?? [])).toEqual([`for ${at}`]);
  }
}, 120_000);

test('the pod that holds a poll is killed: the next poll elsewhere goes on from its offset', async () => {
  const other = fleet.apis[0]!;
  const pod = await fleet.start('api');
  const bot = await fleet.addBot({ long_poll_enabled: true });
  for (const text of ['first', 'second']) await say(bot, text);
  const begun = await waitFor(async () => {
    const seen = await poll(other, bot, 0);
    return seen.length === 2 && seen;
  });
  expect(texts(begun as Update[])).toEqual(['first', 'second']);
  const offset = (begun as Update[])[1]!.update_id + 1;
  const broken = poll(pod, bot, offset).catch(() => 'broken off');
  await held(pod, 1);
  fleet.apis.splice(fleet.apis.indexOf(pod), 1);
  await pod.kill();
  expect(await broken).toBe('broken off');
  const next = poll(other, bot, offset);
  await held(other, 1);
  await say(bot, 'third');
  expect(texts(await next)).toEqual(['third']);
}, 60_000);

test('beside all of that 300 updates a second were pushed: none is missing, each chat in its order', async () => {
  const { made, readers } = await load.end();
  expect(readers).toEqual([{ arrived: made, faults: [] }]);
}, 150_000);

/** Redis's connections, each as the server's address and the connection's id there. */
async function redisClients(): Promise<string[]> {
  const lists = await Promise.all(redis.servers().map((server) => server.client('LIST')));
  return lists.flatMap((list) =>
    [...String(list).matchAll(/^(id=\d+) addr=\S+ (laddr=\S+)/gm)].map(([, ...at]) => at.join()),
  );
}
