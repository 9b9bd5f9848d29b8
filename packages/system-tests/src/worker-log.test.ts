import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

type Line = { level: number; msg: string; bot?: number; backend?: string; reason?: string; [field: string]: unknown };

let fleet: Fleet;
let redis: RedisHandles;
const backends: TestBackend[] = [];

const WITHIN = { timeoutMs: 90_000 };

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 }, { PUBLIC_URL: 'http://127.0.0.1:9' });
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
}, 60_000);
afterAll(async () => {
  await Promise.all(backends.map((backend) => backend.stop()));
  await redis.close();
  await fleet.stop();
}, 60_000);

/** A backend for one test that answers with the current value of `status`. */
async function backendWith(status: () => number): Promise<TestBackend> {
  const backend = await startBackend((_, response) => {
    response.writeHead(status()).end();
  });
  backends.push(backend);
  return backend;
}
function lines(words: RegExp): Line[] {
  const written = fleet.workers[0]!.output().split('\n');
  return written.flatMap((line) => (words.test(line) ? [JSON.parse(line) as Line] : []));
}
const ofBot = (bot: FleetBot, words: RegExp) => lines(words).filter((line) => line.bot === bot.id);
const say = (bot: FleetBot, text: string) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5,"type":"private"},"text":"${text}"}`,
  });

/** Makes the next webhook check due now instead of in a minute, and looks for the log line. */
async function seen(bot: FleetBot, words: RegExp): Promise<boolean> {
  await redis.commands.del(botKeys(bot.id).webhookCheck);
  return ofBot(bot, words).length > 0;
}

/** The tests run in parallel because each waits for a timeout; no two of them share a bot or a backend. */
describe('the log of a worker has one line when', () => {
  test.concurrent('the breaker of a backend opens, and one when it closes, for every bot with that backend', async () => {
    let status = 503;
    const backend = await backendWith(() => status);
    const secret = backend.url.replace('http://', 'http://user:pass-word@');
    const wiring = { proxy_enabled: true, backend_url: `${secret}?key=a-key` };
    const bots = [await fleet.addBot(wiring), await fleet.addBot(wiring)];
    for (const bot of bots) await say(bot, 'while it is closed');
    for (const bot of bots) {
      await waitFor(() => ofBot(bot, /breaker opened/).length > 0, { timeoutMs: 40_000 });
    }
    status = 200;
    for (const bot of bots) {
      await waitFor(() => ofBot(bot, /breaker closed/).length > 0, { timeoutMs: 40_000 });
      expect(ofBot(bot, /breaker opened/)).toMatchObject([{ level: 40, backend: new URL(backend.url).origin }]);
      expect(ofBot(bot, /breaker closed/)).toMatchObject([{ level: 30, backend: new URL(backend.url).origin }]);
    }
    expect(fleet.workers[0]!.output()).not.toMatch(/pass-word|a-key/);
  }, 120_000);

  test.concurrent.each([
    ['a polled bot', false],
    ['a bot in webhook mode', true],
  ])(
    'the platform refuses %s, and one when it takes it again',
    async (_, webhook_mode) => {
      const bot = await fleet.addBot({ webhook_mode });
      const { token } = await fleet.control.revokeToken({ bot: bot.platformId });
      await waitFor(() => seen(bot, /platform refuses/), WITHIN);
      expect(ofBot(bot, /platform refuses/)).toMatchObject([
        { level: 40, reason: expect.stringMatching(/401|refused/) },
      ]);
      await fleet.rest('/api/bots/update', { id: bot.id, token });
      await waitFor(() => seen(bot, /platform accepts/), WITHIN);
      expect(ofBot(bot, /platform accepts/)).toMatchObject([{ level: 30, forSeconds: expect.any(Number) }]);
      expect(fleet.workers[0]!.output()).not.toContain(token.split(':')[1]);
    },
    200_000,
  );

  test.concurrent('updates become dead letters: at once of the first, then of all others of a minute together', async () => {
    const backend = await backendWith(() => 503);
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
    const { id: person } = await fleet.control.createPerson({});
    for (const query of ['one', 'two', 'three']) {
      await fleet.control.typeInlineQuery({ person, bot: bot.platformId, query });
    }
    await waitFor(() => lines(/failed deliver/).length > 0, WITHIN);
    const counted = () => lines(/failed deliver/).reduce((sum, { deadLetters }) => sum + Number(deadLetters), 0);
    await waitFor(() => counted() === 3, { timeoutMs: 100_000 });
    expect(lines(/failed deliver/).length).toBeLessThanOrEqual(2);
    const [first] = lines(/failed deliver/);
    expect(first).toMatchObject({ level: 40, bots: { [bot.id]: first!.deadLetters } });
    expect(Object.keys(first!.reasons as object).join()).toMatch(/^push (refused|expired)/);
  }, 150_000);
});
