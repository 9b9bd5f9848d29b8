import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { acknowledgementTests } from './acknowledgement-tests.ts';
import { allowedUpdatesTests } from './allowed-updates-tests.ts';
import { conflictTests } from './conflict-tests.ts';
import {
  type Check,
  type ConformanceTarget,
  callApi,
  callback,
  idsOf,
  inject,
  inlineQuery,
  kindsOf,
  message,
  pendingCount,
  poll,
  type ShownUpdate,
  untilPending,
} from './conformance-target.ts';
import { longPollTests } from './long-poll-tests.ts';

const DAY_S = 86_400;

/**
 * Tests of getUpdates for any server that replaces the platform. `target` is called when the tests run; `otherwise`
 * lists the titles of tests that do not apply, because the target differs by design and has tests of its own for it.
 */
export function getUpdatesConformance(options: { target: () => ConformanceTarget; otherwise?: string[] }): void {
  const { target, otherwise = [] } = options;
  const unknown = new Set(otherwise);
  const check: Check = (title, body, timeoutMs = 30_000) => {
    if (!unknown.delete(title)) test(title, body, timeoutMs);
  };

  describe('getUpdates as the platform answers it', () => {
    const longest = longestPoll(target);
    acknowledgementTests(target, check);
    longPollTests(target, check);
    conflictTests(target, check);
    allowedUpdatesTests(target, check);
    limitTests(target, check);
    check('a timeout of 90 s is lowered to 50', longest, 70_000);
  });
  if (unknown.size > 0) throw new Error(`No test has the title: ${[...unknown].join('; ')}`);
}

/** This poll takes 50 s: it starts before all tests, and the last test checks its result. */
function longestPoll(target: () => ConformanceTarget): () => Promise<void> {
  const ended = new AbortController();
  let answer: ReturnType<typeof callApi> | undefined;
  beforeAll(async () => {
    const bot = await target().botFactory({ nextUpdateId: 101 });
    answer = callApi(target(), bot, 'getUpdates', { timeout: 90 }, ended.signal);
    answer.catch(() => undefined);
  });
  afterAll(() => ended.abort());
  return async () => {
    const { body, tookMs } = await answer!;
    expect(body).toEqual({ ok: true, result: [] });
    expect(tookMs).toBeGreaterThan(49_500);
    expect(tookMs).toBeLessThan(58_000);
  };
}

function limitTests(target: () => ConformanceTarget, check: Check): void {
  check('updates that outlived their kind are never delivered', async () => {
    const bot = await target().botFactory({ nextUpdateId: 101 });
    const yesterday = Math.floor(Date.now() / 1000) - DAY_S - 60;
    const stale = [callback(151), inlineQuery(31), message('old', { dateS: yesterday })];
    await inject(target(), bot, [...stale, message('new')]);
    await untilPending(target(), bot, 1);
    expect(kindsOf(await poll(target(), bot))).toEqual(['message']);
  });

  check('the 100 001st waiting update is dropped and the others are intact', async () => {
    const bot = await target().botFactory({ nextUpdateId: 101 });
    const load = await target().control.generate({ bots: [bot.id], chats: 1, count: 100_001 });
    expect(load).toMatchObject({ made: 100_001, dropped: 1 });
    expect(await pendingCount(target(), bot)).toBe(100_000);
    expect(idsOf(await poll(target(), bot, { limit: 1 }))).toEqual([101]);
    expect(idsOf(await poll(target(), bot, { offset: -1 }))).toEqual([100_100]);
  });

  check('one answer carries at most 4 MiB, and the rest comes after acknowledging', async () => {
    const bot = await target().botFactory({ nextUpdateId: 101 });
    await inject(
      target(),
      bot,
      Array.from({ length: 20 }, () => bulky(300 * 1024)),
    );
    await untilPending(target(), bot, 20);
    const first = await callApi(target(), bot, 'getUpdates', { limit: 100 });
    const updates = first.body.result as ShownUpdate[];
    expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(idsOf(updates)).toEqual(Array.from({ length: 13 }, (_, index) => 101 + index));
    const rest = await poll(target(), bot, { limit: 100, offset: 114 });
    expect(idsOf(rest)).toEqual([114, 115, 116, 117, 118, 119, 120]);
  });

  check('digits beyond 2^53, key order and escapes reach the client as the platform sent them', async () => {
    const bot = await target().botFactory({ nextUpdateId: 101 });
    const raw = `{"z":12345678901234567890,"date":${Math.floor(Date.now() / 1000)},"a":"\\u00e9\\/ é 😀","chat":{"id":5}, "n":1.0e2}`;
    await inject(target(), bot, [{ kind: 'message', raw }]);
    await untilPending(target(), bot, 1);
    const { text } = await callApi(target(), bot, 'getUpdates');
    expect(text).toContain(`"message":${raw}}`);
  });
}

/** A message update whose counted text has exactly this many bytes. */
function bulky(bytes: number): { kind: string; raw: string } {
  const empty = message('');
  const filler = 'x'.repeat(bytes - Buffer.byteLength(`"message":${empty.raw}`));
  return message(filler);
}
