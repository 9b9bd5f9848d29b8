import type { FaultEffect } from '@flotilla/simulator/faults/fault.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

let fleet: Fleet;
let backend: TestBackend;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 2 });
  backend = await startBackend();
}, 60_000);
afterAll(async () => {
  await backend.stop();
  await fleet.stop();
}, 60_000);

const addBot = () => fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
const say = (bot: FleetBot, text: string) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5,"type":"private"},"text":"${text}"}`,
  });
const arrived = (text: string) => backend.requests.some((request) => request.text.includes(`"${text}"`));
const shown = async (bot: FleetBot) => {
  const bots = await fleet.rest<{ id: number; last_error?: string; last_error_at?: string }[]>('/api/bots');
  return bots.find(({ id }) => id === bot.id);
};
const lastError = async (bot: FleetBot) => (await shown(bot))?.last_error ?? '';
const polls = (bot: FleetBot) => fleet.control.readCalls({ bot: bot.platformId });

const pollingTurns = async () => {
  const turns = fleet.workers.map((worker) => readMetric(worker, 'flotilla_active_turns', { kind: 'polling' }));
  return (await Promise.all(turns)).reduce((sum: number, count) => sum + (count ?? 0), 0);
};

/** They run in parallel, because each waits for a pause between polls; no two of them share a bot. */
describe('while the platform fails for one bot', () => {
  test.concurrent.each<[string, FaultEffect, RegExp]>([
    ['409', { kind: 'status', status: 409, description: 'Conflict: terminated by other getUpdates request' }, /409/],
    ['401', { kind: 'status', status: 401, description: 'Unauthorized' }, /401 Unauthorized/],
    ['429 with a time', { kind: 'status', status: 429, retryAfterS: 2 }, /429/],
    ['502', { kind: 'status', status: 502 }, /502/],
    ['garbage', { kind: 'status', status: 200, body: '<html>maintenance</html>', contentType: 'text/html' }, /answer/],
    ['a reset', { kind: 'reset' }, /reached|reset|hang up/i],
  ])(
    '%s is told, the next try is spaced, and other bots go on',
    async (name, fault, words) => {
      const [bot, other] = [await addBot(), await addBot()];
      await waitFor(async () => (await polls(bot)).pollsNow === 1);
      await fleet.control.setFault({ bot: bot.platformId, method: 'getUpdates', effect: fault });
      await say(bot, `wakes the poll of ${name}`);
      await waitFor(async () => words.test(await lastError(bot)), {
        timeoutMs: 20_000,
        message: `${name} in last_error`,
      });
      await fleet.control.forgetCalls({ bot: bot.platformId });
      await say(other, `beside ${name}`);
      await waitFor(() => arrived(`beside ${name}`));
      expect((await polls(bot)).total).toBeLessThan(10);
    },
    60_000,
  );

  test.concurrent('a platform that hangs is given up and told, other bots go on, and the bot is polled again when it answers', async () => {
    const other = await addBot();
    const made = await fleet.control.createBot({ name: 'Hangs', username: 'hangs_while_polled_bot' });
    const hang = { bot: made.id, method: 'getUpdates', effect: { kind: 'hang' } } as const;
    const { faultId } = await fleet.control.setFault(hang);
    const added = await fleet.rest<{ id: number }>('/api/bots/add', {
      token: made.token,
      proxy_enabled: true,
      backend_url: backend.url,
    });
    const bot = { id: added.id, token: made.token, platformId: made.id, username: 'hangs_while_polled_bot' };
    await say(bot, 'behind a platform that hangs');
    await say(other, 'beside a platform that hangs');
    await waitFor(() => arrived('beside a platform that hangs'));
    // The first poll of a bot has a timeout of 1 s, and the worker gives up 10 s after that.
    await waitFor(async () => /no answer in time/.test(await lastError(bot)), {
      timeoutMs: 30_000,
      message: 'the hang in last_error',
    });
    expect((await polls(bot)).byMethod.getupdates).toBeLessThanOrEqual(3);
    await fleet.control.clearFaults({ faultId });
    await waitFor(() => arrived('behind a platform that hangs'), { timeoutMs: 30_000 });
  }, 90_000);

  test.concurrent('a retry_after is waited for, however much else is polled meanwhile', async () => {
    const [bot, other] = [await addBot(), await addBot()];
    await waitFor(async () => (await polls(bot)).pollsNow === 1);
    const effect: FaultEffect = { kind: 'status', status: 429, retryAfterS: 60 };
    await fleet.control.setFault({ bot: bot.platformId, method: 'getUpdates', effect });
    await say(bot, 'wakes the poll');
    await waitFor(async () => /429/.test(await lastError(bot)), { timeoutMs: 20_000 });
    await fleet.control.forgetCalls({ bot: bot.platformId });
    await fleet.control.generate({ bots: [other.platformId], chats: 1, count: 10, perSecond: 2 });
    await waitFor(async () => ((await polls(other)).byMethod.getupdates ?? 0) >= 10, { timeoutMs: 20_000 });
    expect((await polls(bot)).byMethod.getupdates ?? 0).toBe(0);
  }, 60_000);

  test.concurrent.each([401, 404])(
    'a %i that comes once delays the next poll by seconds, not by a minute',
    async (status) => {
      const bot = await addBot();
      await waitFor(async () => (await polls(bot)).pollsNow === 1);
      await fleet.control.setFault({
        bot: bot.platformId,
        method: 'getUpdates',
        effect: { kind: 'status', status },
        count: 1,
      });
      await say(bot, `wakes the poll before the ${status}`);
      await waitFor(async () => (await lastError(bot)).includes(String(status)), { message: 'the refusal' });
      await say(bot, `after a short ${status}`);
      await waitFor(() => arrived(`after a short ${status}`), { timeoutMs: 30_000 });
      await waitFor(async () => (await lastError(bot)) === '');
    },
    90_000,
  );

  test.concurrent('what came meanwhile arrives once the platform is well again, and the error with its time is gone', async () => {
    const bot = await addBot();
    const begunAtMs = Date.now();
    await waitFor(async () => (await polls(bot)).pollsNow === 1);
    const { faultId } = await fleet.control.setFault({
      bot: bot.platformId,
      method: 'getUpdates',
      effect: { kind: 'status', status: 502 },
    });
    await say(bot, 'answers the poll that is open');
    await waitFor(async () => /502/.test(await lastError(bot)));
    const failedAtMs = Date.parse((await shown(bot))?.last_error_at ?? '');
    expect(failedAtMs).toBeGreaterThanOrEqual(begunAtMs);
    expect(failedAtMs).toBeLessThanOrEqual(Date.now());
    await say(bot, 'kept meanwhile');
    await fleet.control.clearFaults({ faultId });
    await waitFor(() => arrived('kept meanwhile'), { timeoutMs: 30_000 });
    expect(await shown(bot)).toMatchObject({ last_error: '' });
    expect(await shown(bot)).not.toHaveProperty('last_error_at');
  }, 60_000);
});

describe('polling', () => {
  beforeAll(async () => {
    await fleet.stop();
    fleet = await startFleet({ apis: 1, workers: 2 });
  }, 60_000);

  test('of one bot there is never more than one getUpdates at once, and none once it is disabled', async () => {
    const bot = await addBot();
    for (let at = 0; at < 50; at += 1) await say(bot, `number ${at}`);
    await waitFor(() => arrived('number 49'), { timeoutMs: 20_000 });
    expect((await polls(bot)).pollsHighWater).toBe(1);
    await fleet.rest('/api/bots/toggle-disabled', { id: bot.id });
    await waitFor(async () => (await pollingTurns()) === 0, { timeoutMs: 5_000, message: 'no polling turn' });
    await fleet.control.forgetCalls({ bot: bot.platformId });
    await say(bot, 'nobody asks');
    const shown = await fleet.rest<{ id: number; running: boolean; disabled: boolean }[]>('/api/bots');
    expect(shown.find(({ id }) => id === bot.id)).toMatchObject({ running: false, disabled: true });
    expect((await polls(bot)).byMethod.getupdates ?? 0).toBe(0);
  }, 60_000);
});
