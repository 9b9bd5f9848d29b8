import { setImmediate as nextPass } from 'node:timers/promises';
import { type ChannelWaiters, channelWaiters } from '@flotilla/redis/channel-waiters.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, channels, HOUR_MS } from '@flotilla/redis/keys.ts';
import { stateFields } from '@flotilla/redis/state-fields.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { sharedMoments } from '@flotilla/runtime/shared-moments.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mirrorBot } from '../bots/bot-mirror.ts';
import { acceptUpdates } from '../intake/accept-updates.ts';
import { type CaughtUp, caughtUpConsumers } from './caught-up.ts';
import { textsOf } from './pulled-updates.ts';
import { type PullRequest, readUpdates } from './read-updates.ts';

const BOT = aBot({ longPollEnabled: true });
/** Longer than any test. */
const TIMEOUT_MS = 600_000;
const secrets = secretBox(Buffer.alloc(32, 7).toString('base64'));

let server: TestRedis;
let redis: RedisHandles;
let waiters: ChannelWaiters;
let caughtUp: CaughtUp;
let turns: { push: TurnQueue; programs: TurnQueue; rules: TurnQueue; history: TurnQueue };

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log: createLogger({ name: 'test', level: 'silent' }) });
  waiters = channelWaiters(redis, channels.appended);
  const [push, programs, rules, history] = (['push', 'programs', 'rules', 'history'] as const).map((kind) =>
    turnQueue(redis, kind),
  );
  turns = { push: push!, programs: programs!, rules: rules!, history: history! };
  const subscribed = waiters.listen(BOT.id);
  await subscribed.wait(TIMEOUT_MS, new AbortController().signal);
  subscribed.stop();
});
afterAll(async () => {
  waiters.close();
  await Promise.all(Object.values(turns).map((queue) => queue.close()));
  await redis.close();
  await server.stop();
});
beforeEach(async () => {
  await redis.commands.flushall();
  await mirrorBot({ redis, secrets, clock: systemClock }, BOT);
  // The next moment is an hour away.
  caughtUp = caughtUpConsumers(sharedMoments(HOUR_MS, { nowMs: () => 0 }));
  reads = 0;
});
afterEach(() => caughtUp.close());

let reads = 0;
const countingReads = (): RedisHandles => {
  const callBuffer = (...args: Parameters<typeof redis.commands.callBuffer>) => {
    reads += 1;
    return redis.commands.callBuffer(...args);
  };
  return { ...redis, commands: Object.create(redis.commands, { callBuffer: { value: callBuffer } }) };
};

/** Resolves when this process has heard of the change. */
const heard = async (change: Promise<unknown>) => {
  const listening = waiters.listen(BOT.id);
  await change;
  await listening.wait(TIMEOUT_MS, new AbortController().signal);
  listening.stop();
};
const accept = async (id: number) => {
  const date = Math.floor(Date.now() / 1000);
  const raw = `{"update_id":${id},"message":{"message_id":${id},"date":${date},"chat":{"id":5,"type":"private"},"from":{"id":5}}}`;
  const { updates } = sliceUpdates(`{"ok":true,"result":[${raw}]}`)!;
  await heard(acceptUpdates({ redis, turns, clock: systemClock }, BOT, updates));
};
const poll = async (offset: number, request: Partial<PullRequest> = {}): Promise<number[]> => {
  const updates = await readUpdates({ redis: countingReads(), waiters, caughtUp, clock: systemClock }, BOT, {
    ...{ consumer: null, offset, limit: 100, timeoutMs: TIMEOUT_MS, kinds: null, throttle: false },
    signal: new AbortController().signal,
    ...request,
  });
  return textsOf(updates).map((raw) => (JSON.parse(raw) as { update_id: number }).update_id);
};
/** Behind what a poll sends at once: commands of one connection are run in their order. */
const acknowledged = async () => {
  await nextPass();
  return Number(await redis.commands.hget(botKeys(BOT.id).state, stateFields.pullCursor));
};

test('a poll that only acknowledges waits for a shared moment; an update answers it, and it acknowledges at once', async () => {
  await accept(1);
  expect(await poll(0)).toEqual([1]);
  const waiting = poll(2);
  expect(await acknowledged()).toBe(0);
  reads = 0;
  await accept(2);
  expect(await waiting).toEqual([2]);
  expect([await acknowledged(), reads]).toEqual([1, 1]);
});

test('with it goes all that waits for the moment', async () => {
  const moments = sharedMoments(HOUR_MS, { nowMs: () => 0 });
  caughtUp = caughtUpConsumers(moments);
  await accept(1);
  await poll(0);
  const waiting = poll(2);
  const moment = moments.next();
  await accept(2);
  await waiting;
  await moment;
});

test('at the moment it acknowledges, and goes on waiting', async () => {
  caughtUp = caughtUpConsumers(sharedMoments(20, systemClock));
  await accept(1);
  expect(await poll(0)).toEqual([1]);
  const waiting = poll(2);
  await waitFor(async () => (await acknowledged()) === 1);
  await accept(2);
  expect(await waiting).toEqual([2]);
});

test('it acknowledges at once when its client leaves', async () => {
  await accept(1);
  await poll(0);
  const client = new AbortController();
  const waiting = poll(2, { signal: client.signal });
  expect(await acknowledged()).toBe(0);
  client.abort();
  expect(await waiting).toEqual([]);
  expect(await acknowledged()).toBe(1);
});

test('it waits only if nothing can be there for it', async () => {
  await accept(1);
  expect(await poll(0)).toEqual([1]);
  // It asks again for what it has got.
  expect(await poll(1)).toEqual([1]);
  // It wants an answer at once.
  expect(await poll(2, { timeoutMs: 0 })).toEqual([]);
  await accept(2);
  await accept(3);
  // It has not got everything.
  expect(await poll(2, { limit: 1 })).toEqual([2]);
  expect(await poll(3)).toEqual([3]);
  // It is another consumer than the one that has got everything.
  expect(await poll(0, { consumer: 'another' })).toContain(3);
});

test('what came between two polls answers the second at once, and the poll after that waits again', async () => {
  await accept(1);
  expect(await poll(0)).toEqual([1]);
  await accept(2);
  await accept(3);
  expect(await poll(2)).toEqual([2, 3]);
  const waiting = poll(4);
  expect(await acknowledged()).toBe(1);
  await accept(4);
  expect(await waiting).toEqual([4]);
  expect(await acknowledged()).toBe(3);
});

test('what was dropped between two polls is not answered', async () => {
  await accept(1);
  expect(await poll(0)).toEqual([1]);
  await accept(2);
  await heard(mirrorBot({ redis, secrets, clock: systemClock }, BOT, { drop: { dropPending: true } }));
  const waiting = poll(2);
  await accept(3);
  expect(await waiting).toEqual([3]);
});

test('more than a poll asks for is read', async () => {
  await accept(1);
  expect(await poll(0)).toEqual([1]);
  await accept(2);
  await accept(3);
  expect(await poll(2, { limit: 1 })).toEqual([2]);
  expect(await acknowledged()).toBe(1);
  expect(await poll(3)).toEqual([3]);
});

test('a poller that does not come back is forgotten, and one that comes back is no longer kept', async () => {
  await accept(1);
  await poll(0);
  expect([caughtUp.count(), waiters.count()]).toEqual([1, 1]);
  const waiting = poll(2);
  expect([caughtUp.count(), waiters.count()]).toEqual([0, 1]);
  await accept(2);
  await waiting;
  await waitFor(() => caughtUp.count() + waiters.count() === 0);
});

describe('a poll that waits', () => {
  /** The ids that the poll answers after these appends, and how often it read the log. */
  const answeredAfter = async (appends: () => Promise<unknown>, request: Partial<PullRequest> = {}) => {
    reads = 0;
    const polling = poll(request.offset ?? 0, request);
    await acknowledged();
    expect(reads).toBe(1);
    await appends();
    return { ids: await polling, reads };
  };
  const announce = (before: number, last: number, registrationId = BOT.registrationId) =>
    redis.commands.publish(
      channels.appended,
      `${BOT.id} ${registrationId} ${before} ${last} 1 1\n{"update_id":${last}}`,
    );

  test('is answered by what is announced, and its next one acknowledges that', async () => {
    expect(await answeredAfter(() => accept(1))).toEqual({ ids: [1], reads: 1 });
    caughtUp.close();
    expect(await poll(2, { timeoutMs: 0 })).toEqual([]);
    expect(await acknowledged()).toBe(1);
  });

  test('of a named consumer likewise', async () => {
    expect(await answeredAfter(() => accept(1), { consumer: 'another' })).toEqual({ ids: [1], reads: 1 });
  });

  test('reads what is announced of kinds that it may not want', async () => {
    expect(await answeredAfter(() => accept(1), { kinds: ['message'] })).toEqual({ ids: [1], reads: 2 });
  });

  test('of a program reads, because its cursor also passes what it does not get', async () => {
    const program = {
      id: 7,
      name: 'seven',
      enabled: true,
      kinds: [],
      mode: 'pull',
      order: 1,
      exclusive: false,
      tokens: [],
    } as const;
    const unset = {
      backendUrl: '',
      secretToken: '',
      backendCertificate: '',
      signing: null,
      webhookTokenId: null,
      webhookKinds: null,
    };
    const programs = [
      { ...program, ...unset, kinds: [], tokens: [], backendRole: 'user' as const, maxConnections: 40, filter: {} },
    ];
    await mirrorBot({ redis, secrets, clock: systemClock }, { ...BOT, programs });
    expect(await answeredAfter(() => accept(1), { consumer: 'program:7' })).toEqual({ ids: [1], reads: 2 });
  });

  test('passes over what it has, and reads when it missed something', async () => {
    await accept(1);
    const again = () => announce(0, 1).then(() => accept(2));
    expect(await answeredAfter(again, { offset: 2 })).toEqual({ ids: [2], reads: 1 });
    // What the log does not have is not answered.
    caughtUp.close();
    const gap = async () => {
      await announce(3, 4);
      await waitFor(() => reads === 2);
      await announce(1, 2, 'an-earlier-registration');
      await waitFor(() => reads === 3);
      await accept(3);
    };
    expect(await answeredAfter(gap, { offset: 3 })).toEqual({ ids: [3], reads: 3 });
  });
});
