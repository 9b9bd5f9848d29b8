import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { botKeys, channels } from '../keys.ts';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const { idempotency: keys, idempotencyAnswers: answersPrefix } = botKeys(5);
const PARAMS = 'p'.repeat(22);
const DAY_MS = 86_400_000;

/** The first four characters are those of the scope. */
const digestOf = (name: string) => (name.includes(':') ? name : `mine:${name}`).padEnd(26, '-');
const claim = (
  name: string,
  by: string,
  limits: { leaseMs?: number; keptMs?: number; keysAtMost?: number; share?: number } = {},
) =>
  scripts.claimIdempotencyKey(scene.commands, keys, {
    ...{ answersPrefix, digest: digestOf(name), claim: by },
    ...{ leaseMs: 60_000, keptMs: DAY_MS, keysAtMost: 100, share: 3 },
    ...limits,
  });
type Outcome = 'running' | 'ended' | 'unknown' | 'free';
const settle = (name: string, by: string, outcome: Outcome, answer = '', bytesAtMost = 1_000_000) =>
  scripts.settleIdempotencyKey(scene.commands, keys, {
    ...{ answersPrefix, botId: 5, digest: digestOf(name), claim: by, outcome, params: PARAMS, answer },
    ...{ leaseMs: 60_000, keptMs: DAY_MS, bytesAtMost },
  });
const bytes = async () => Number(await scene.commands.hget(keys.entries, 'kept'));

describe('a key', () => {
  test('is claimed once, and its answer is given to the others when it is there', async () => {
    expect(await claim('a', 'one')).toEqual({ outcome: 'CLAIMED' });
    expect(await claim('a', 'two')).toEqual({ outcome: 'RUNNING', leaseMs: expect.any(Number) });
    expect(await settle('a', 'two', 'ended', 'not mine')).toBe(false);
    expect(await settle('a', 'one', 'ended', 'answer\n{"ж":1}')).toBe(true);
    const ended = { outcome: 'ENDED', params: PARAMS, answer: 'answer\n{"ж":1}' };
    expect([await claim('a', 'two'), await claim('a', 'three')]).toEqual([ended, ended]);
    expect(await settle('a', 'one', 'unknown')).toBe(false);
    expect(await claim('b', 'one')).toEqual({ outcome: 'CLAIMED' });
  });

  test('that was freed is claimed by the next one', async () => {
    await claim('a', 'one');
    await settle('a', 'one', 'free');
    expect(await claim('a', 'two')).toEqual({ outcome: 'CLAIMED' });
    expect(await settle('a', 'one', 'free')).toBe(false);
  });

  test('whose claim was not renewed is unknown, until its call has ended all the same', async () => {
    await claim('a', 'one', { leaseMs: 1 });
    await waitFor(async () => (await claim('a', 'two')).outcome === 'UNKNOWN');
    expect(await settle('a', 'one', 'ended', 'late')).toBe(true);
    expect(await claim('a', 'two')).toEqual({ outcome: 'ENDED', params: PARAMS, answer: 'late' });
  });

  test('whose claim is renewed runs on', async () => {
    await claim('a', 'one', { leaseMs: 1 });
    expect(await settle('a', 'one', 'running')).toBe(true);
    expect(await claim('a', 'two')).toMatchObject({ outcome: 'RUNNING' });
  });

  test('stays unknown when its call is known to be lost', async () => {
    await claim('a', 'one');
    await settle('a', 'one', 'unknown');
    expect(await claim('a', 'two')).toEqual({ outcome: 'UNKNOWN' });
    expect(await settle('a', 'one', 'free')).toBe(false);
  });

  test('that Redis has lost is kept with the end of its call, if nobody has claimed it since', async () => {
    expect(await settle('a', 'one', 'ended', 'kept')).toBe(true);
    expect(await claim('a', 'two')).toMatchObject({ outcome: 'ENDED', answer: 'kept' });
    expect([await settle('b', 'one', 'running'), await settle('b', 'one', 'free')]).toEqual([false, false]);
    expect(await claim('b', 'two')).toEqual({ outcome: 'CLAIMED' });
  });

  test('is forgotten after its time, and its bytes with it', async () => {
    await claim('a', 'one');
    await settle('a', 'one', 'ended', 'answer');
    await waitFor(async () => (await claim('a', 'two', { keptMs: 1 })).outcome === 'CLAIMED');
    expect(await bytes()).toBe(0);
    await scene.commands.zadd(keys.claimed, '1', digestOf('a'));
    expect(await claim('b', 'one')).toEqual({ outcome: 'CLAIMED' });
    expect(await scene.commands.zscore(keys.claimed, digestOf('a'))).toBeNull();
    expect(await scene.commands.hexists(keys.entries, digestOf('a'))).toBe(0);
  });
});

test('those who wait are told, and nobody else', async () => {
  const heard: string[] = [];
  const subscription = await scene.subscribe(channels.idempotencyKeys, (payload) => void heard.push(payload));
  await claim('a', 'one');
  await settle('a', 'one', 'ended', 'nobody waits');
  await claim('b', 'one');
  await claim('b', 'two');
  await settle('b', 'one', 'running');
  await settle('b', 'one', 'ended', 'one waits');
  await waitFor(() => heard.length > 0);
  expect(heard).toEqual([`5:${digestOf('b')}`]);
  subscription.close();
});

test('a bot has so many keys at most, and the next one is told when there is room', async () => {
  await claim('a', 'one', { keysAtMost: 2 });
  await claim('b', 'one', { keysAtMost: 2 });
  const full = await claim('c', 'one', { keysAtMost: 2 });
  expect(full).toEqual({ outcome: 'FULL', retryAfterMs: expect.any(Number) });
  expect(full.outcome === 'FULL' ? full.retryAfterMs : 0).toBeGreaterThan(DAY_MS - 60_000);
  expect(await claim('a', 'two', { keysAtMost: 2 })).toMatchObject({ outcome: 'RUNNING' });
  await settle('a', 'one', 'free');
  expect(await claim('c', 'one', { keysAtMost: 2 })).toEqual({ outcome: 'CLAIMED' });
});

test('of more answers than there is room for, the oldest go, and their keys stay', async () => {
  const room = 3 * (23 + 100);
  for (const name of ['a', 'b', 'c', 'd']) {
    await claim(name, 'one');
    await settle(name, 'one', 'ended', 'x'.repeat(100), room);
  }
  expect(await claim('a', 'two')).toEqual({ outcome: 'ENDED', params: PARAMS, answer: '' });
  expect(await claim('d', 'two')).toMatchObject({ outcome: 'ENDED', answer: 'x'.repeat(100) });
  expect(await bytes()).toBe(room);
  expect(await scene.commands.zcard(`${answersPrefix}mine`)).toBe(3);
});

test('a scope has three quarters of what is left, and keys that are given up are no longer counted', async () => {
  const outcomes = async (scope: string) => {
    const claims = [];
    for (let key = 0; key < 8; key += 1) claims.push(await claim(`${scope}:${key}`, 'one', { keysAtMost: 8 }));
    return claims.filter(({ outcome }) => outcome === 'CLAIMED').length;
  };
  expect([await outcomes('loud'), await outcomes('calm')]).toEqual([6, 2]);
  await settle('loud:0', 'one', 'free');
  expect(await claim('loud:9', 'one', { keysAtMost: 8 })).toMatchObject({ outcome: 'FULL' });
  expect(await claim('calm:9', 'one', { keysAtMost: 8 })).toEqual({ outcome: 'CLAIMED' });
});

test('the answers of who has most make room for those of others', async () => {
  const room = 4 * (23 + 100);
  for (const name of ['calm:a', 'loud:a', 'loud:b', 'loud:c', 'loud:d', 'loud:e']) {
    await claim(name, 'one');
    await settle(name, 'one', 'ended', 'x'.repeat(100), room);
  }
  const kept = async (name: string) => ((await claim(name, 'two')) as { answer: string }).answer !== '';
  expect(await kept('calm:a')).toBe(true);
  expect([await kept('loud:a'), await kept('loud:b'), await kept('loud:e')]).toEqual([false, false, true]);
});
