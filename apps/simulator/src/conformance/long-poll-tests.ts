import { expect } from '@jest/globals';
import {
  botWithQueue,
  type Check,
  type ConformanceTarget,
  callApi,
  idsOf,
  inject,
  message,
  poll,
  untilWaiting,
} from './conformance-target.ts';

const PROMPT_MS = 2_000;

/** Tests of waiting polls, of what wakes them, and of the throttle. */
export function longPollTests(target: () => ConformanceTarget, check: Check): void {
  check('a waiting poll is answered as soon as an update comes', async () => {
    const bot = await target().botFactory({ nextUpdateId: 101 });
    const waiting = callApi(target(), bot, 'getUpdates', { timeout: 20 });
    await untilWaiting();
    await inject(target(), bot, [message('wake')]);
    const { body, tookMs } = await waiting;
    expect(body.result).toMatchObject([{ update_id: 101, message: { text: 'wake' } }]);
    expect(tookMs).toBeLessThan(10_000);
  });

  check('updates that come together wake a poll once, with all of them', async () => {
    const bot = await target().botFactory({ nextUpdateId: 101 });
    const waiting = poll(target(), bot, { timeout: 20 });
    await untilWaiting();
    await inject(target(), bot, [message('a'), message('b'), message('c')]);
    expect(idsOf(await waiting)).toEqual([101, 102, 103]);
  });

  check('the second of two empty polls is held for 3 s', async () => {
    const bot = await target().botFactory({ nextUpdateId: 101 });
    const first = await callApi(target(), bot, 'getUpdates', { offset: 0, timeout: 0 });
    const second = await callApi(target(), bot, 'getUpdates', { offset: 0, timeout: 0 });
    expect([first.body.result, second.body.result]).toEqual([[], []]);
    expect(first.tookMs).toBeLessThan(PROMPT_MS);
    expect(second.tookMs).toBeGreaterThan(2_900);
  });

  check('two empty polls with different offsets are both answered at once', async () => {
    const bot = await botWithQueue(target());
    await poll(target(), bot, { offset: 106 });
    const first = await callApi(target(), bot, 'getUpdates', { offset: 107, timeout: 0 });
    const second = await callApi(target(), bot, 'getUpdates', { offset: 108, timeout: 0 });
    expect([first.body.result, second.body.result]).toEqual([[], []]);
    expect(Math.max(first.tookMs, second.tookMs)).toBeLessThan(PROMPT_MS);
  });

  check('the same offset again within half a second gives one update', async () => {
    const bot = await botWithQueue(target(), 101, 10);
    const [first, second] = await Promise.all([poll(target(), bot), poll(target(), bot)]);
    expect([first.length, second.length].sort()).toEqual([1, 10]);
  });

  check('an update that comes after the client went away is there when it returns', async () => {
    const bot = await target().botFactory({ nextUpdateId: 101 });
    const away = new AbortController();
    const dropped = callApi(target(), bot, 'getUpdates', { offset: 1, timeout: 20 }, away.signal);
    await untilWaiting();
    away.abort();
    await expect(dropped).rejects.toThrow();
    await inject(target(), bot, [message('while away')]);
    expect(idsOf(await poll(target(), bot, { offset: 1, timeout: 20 }))).toEqual([101]);
  });
}
