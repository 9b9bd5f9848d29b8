import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type BackendHandler, startBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { memoryGrowth } from '@flotilla/testing/fleet/memory-growth.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

const MIB = 1024 * 1024;
/**
 * Limits of memory growth: a hundred replies in flight hold 128 KiB each, plus the noise of a busy heap. A whole reply
 * would exceed them.
 */
const ALONE = { inFlight: 1, growthAtMost: 20 * MIB };
const A_HUNDRED = { inFlight: 100, growthAtMost: 150 * MIB };

let fleet: Fleet;
const stops: (() => unknown)[] = [];

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
}, 60_000);
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));
afterAll(async () => {
  await fleet.stop();
}, 60_000);

const backend = async (handler: BackendHandler): Promise<string> => {
  const started = await startBackend(handler);
  stops.push(() => started.stop());
  return started.url;
};
const addBot = (backendUrl: string, maxConnections: number) =>
  fleet.addBot({ proxy_enabled: true, backend_url: backendUrl, max_connections: maxConnections });
const say = (bot: FleetBot, chat: number, text: string) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":${chat},"type":"private"},"text":"${text}"}`,
  });

/** Sends data for as long as the other side reads. */
function answerWithoutEnd(response: ServerResponse, chunk: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = (error?: Error | null): void => {
    if (!error && !response.destroyed) response.write(chunk, more);
  };
  more();
}

describe('replies of backends', () => {
  const bomb = gzipSync(Buffer.alloc(100 * MIB));
  const chunk = Buffer.alloc(MIB, '{"method":');
  const endless = (response: ServerResponse) => answerWithoutEnd(response, chunk);
  const packed = (response: ServerResponse) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(bomb);
  };
  test.each([
    ['a gigabyte and more, one after the other,', endless, ALONE],
    ['a gigabyte and more, a hundred at once,', endless, A_HUNDRED],
    ['a gzip bomb, one after the other,', packed, ALONE],
    ['a gzip bomb, a hundred at once,', packed, A_HUNDRED],
  ])(
    'of %s do not add up in the memory of the worker',
    async (_what, misbehave, { inFlight, growthAtMost }) => {
      let misbehaves = false;
      let received = 0;
      const url = await backend((_request, response) => {
        received += 1;
        if (misbehaves) misbehave(response);
        else response.end();
      });
      const { pid } = fleet.workers[0]!;
      const bot = await addBot(url, inFlight);
      const load = { bots: [bot.platformId], chats: inFlight, count: 20 * inFlight };
      await fleet.control.generate(load);
      await waitFor(() => received >= load.count, { timeoutMs: 60_000, message: 'the warm-up' });
      [misbehaves, received] = [true, 0];
      const grown = await memoryGrowth(pid, async () => {
        await fleet.control.generate(load);
        await waitFor(() => received >= load.count, { timeoutMs: 60_000, message: 'every update, once' });
      });
      expect(grown).toBeLessThan(growthAtMost);
      expect(received).toBe(load.count);
    },
    120_000,
  );

  test('of one byte a second are cut at the total timeout of a minute, and what waited for the connection goes on', async () => {
    const begunAt = performance.now();
    let cutAfterMs = 0;
    let goneOn = false;
    const url = await backend((request, response) => {
      if (request.text.includes('"waits"')) {
        goneOn = true;
        response.end();
        return;
      }
      const openedAt = performance.now();
      response.writeHead(200, { 'content-length': 1000 });
      const timer = setInterval(() => response.write('x'), 1000);
      response.once('close', () => {
        clearInterval(timer);
        cutAfterMs ||= performance.now() - openedAt;
      });
    });
    const bot = await addBot(url, 1);
    await say(bot, 1, 'trickled');
    await say(bot, 2, 'waits');
    await waitFor(() => goneOn, { timeoutMs: 100_000, message: 'the update that waits for the connection' });
    expect(cutAfterMs).toBeGreaterThan(55_000);
    expect(cutAfterMs).toBeLessThan(75_000);
    expect(performance.now() - begunAt).toBeLessThan(100_000);
    const attempts = await waitFor(async () => {
      const known = await fleet.rest<{ status: number; error?: string }[]>(`/api/deliveries/attempts?bot_id=${bot.id}`);
      return known.length >= 2 && known;
    });
    expect(attempts).toContainEqual(expect.objectContaining({ status: 0, error: 'Read timeout expired' }));
  }, 150_000);
});
