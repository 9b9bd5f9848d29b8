import { type ChannelWaiters, channelWaiters } from '@flotilla/redis/channel-waiters.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { botKeys, channels } from '@flotilla/redis/keys.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { sharedMoments } from '@flotilla/runtime/shared-moments.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Bot } from '../bots/bot.ts';
import { mirrorBot } from '../bots/bot-mirror.ts';
import { readBotStatus } from '../bots/bot-status.ts';
import { acceptUpdates } from '../intake/accept-updates.ts';
import { beginPolling } from '../intake/begin-polling.ts';
import type { ClaimedUnit } from '../lanes/claimed-unit.ts';
import { afterFailure } from '../lanes/retry-schedule.ts';
import { type CaughtUp, caughtUpConsumers } from '../pull/caught-up.ts';
import { textsOf } from '../pull/pulled-updates.ts';
import { type PullRequest, readUpdates } from '../pull/read-updates.ts';
import { claimForPush, type SettledUpdate } from '../push/claim-for-push.ts';

let server: TestRedis;
let redis: RedisHandles;
let waiters: ChannelWaiters;
let caughtUp: CaughtUp;
let turns: { push: TurnQueue; programs: TurnQueue; rules: TurnQueue; history: TurnQueue };
let nextId = 0;
let nowMs = Date.now();
const clock = { nowMs: () => nowMs };
const secrets = secretBox(Buffer.alloc(32, 7).toString('base64'));

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log: createLogger({ name: 'test', level: 'silent' }) });
  waiters = channelWaiters(redis, channels.appended);
  caughtUp = caughtUpConsumers(sharedMoments(10, clock));
  turns = {
    push: turnQueue(redis, 'push'),
    programs: turnQueue(redis, 'programs'),
    rules: turnQueue(redis, 'rules'),
    history: turnQueue(redis, 'history'),
  };
});
afterAll(async () => {
  caughtUp.close();
  waiters.close();
  await turns.push.close();
  await turns.rules.close();
  await turns.history.close();
  await redis.close();
  await server.stop();
});
beforeEach(() => {
  nextId += 1;
  nowMs = Date.now();
});
afterEach(async () => {
  await redis.commands.flushall();
});

const deps = () => ({ redis, turns, clock, waiters, caughtUp, secrets });
const registered = async (overrides: Partial<Bot>): Promise<Bot> => {
  const bot = aBot({ id: nextId, longPollEnabled: true, ...overrides });
  await mirrorBot(deps(), bot);
  return bot;
};
const update = (id: number, kind = 'message', chat = 5) =>
  `{"update_id":${id},\n"${kind}":{"message_id":${id},"date":${Math.floor(nowMs / 1000)},"chat":{"id":${chat},"type":"private"},"from":{"id":${chat}},"text":"п${id}"}}`;
const accept = (bot: Bot, ...raws: string[]) => {
  const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join(',\n')}]}`);
  if (!sliced) throw new Error('the test made no valid answer');
  return acceptUpdates(deps(), bot, sliced.updates);
};
const read = async (bot: Bot, request: Partial<PullRequest> = {}) =>
  textsOf(
    await readUpdates(deps(), bot, {
      consumer: null,
      offset: 0,
      limit: 100,
      timeoutMs: 0,
      kinds: null,
      throttle: false,
      signal: new AbortController().signal,
      ...request,
    }),
  );
const ids = (raws: string[]) => raws.map((raw) => (JSON.parse(raw) as { update_id: number }).update_id);
const idsOf = async (bot: Bot, request: Partial<PullRequest> = {}) => ids(await read(bot, request));

const refused = { code: 'refused' as const, status: 500, reason: 'Wrong response from the webhook: 500' };
const day = { expiresAtMs: Date.now() + 86_400_000 };

describe('accepting updates', () => {
  test('keeps the bytes, and a repeated update once', async () => {
    const bot = await registered({});
    const odd = `{"update_id":77,"message":{"big":9007199254740993,"b":1,"a":"\\u0041\\/","date":${Math.floor(nowMs / 1000)},"chat":{"id":1}}}`;
    expect(await accept(bot, odd)).toEqual({ outcome: 'accepted', appended: 1, duplicates: 0 });
    expect(await accept(bot, odd)).toEqual({ outcome: 'accepted', appended: 0, duplicates: 1 });
    expect(await read(bot)).toEqual([odd]);
  });

  test('gives what arrives late or after a jump down the next id, in the bytes too', async () => {
    const bot = await registered({});
    await accept(bot, update(500), update(499), update(7));
    expect(await idsOf(bot)).toEqual([500, 501, 502]);
    expect((await read(bot))[2]).toContain('"message_id":7');
  });

  test('refuses what a deleted, disabled or re-registered bot is sent', async () => {
    const bot = await registered({});
    expect(await accept({ ...bot, registrationId: 'another' }, update(1))).toEqual({ outcome: 'gone' });
    await mirrorBot(deps(), { ...bot, disabled: true, revision: 2 });
    expect(await accept(bot, update(1))).toEqual({ outcome: 'disabled' });
    expect(await accept(aBot({ id: 9999 }), update(1))).toEqual({ outcome: 'gone' });
  });

  test('refuses the commit of a polling turn that is not the owner any more', async () => {
    const bot = await registered({});
    const first = await beginPolling(deps(), bot);
    const second = await beginPolling(deps(), bot);
    if (first.outcome !== 'owner' || second.outcome !== 'owner') throw new Error('no owner');
    const sliced = sliceUpdates(`{"ok":true,"result":[${update(1)}]}`)!.updates;
    expect(await acceptUpdates(deps(), bot, sliced, { fencingToken: first.fencingToken, nextOffset: 2 })).toEqual({
      outcome: 'fenced',
    });
    expect(
      await acceptUpdates(deps(), bot, sliced, { fencingToken: second.fencingToken, nextOffset: 2 }),
    ).toMatchObject({
      appended: 1,
    });
    expect(await beginPolling(deps(), bot)).toMatchObject({ pollOffset: 2 });
  });
});

describe('reading as getUpdates does', () => {
  const queue = async () => {
    const bot = await registered({});
    await accept(bot, ...[101, 102, 103, 104, 105].map((id) => update(id)));
    return bot;
  };

  test('offset 0 reads all and acknowledges nothing; a positive one acknowledges what is below', async () => {
    const bot = await queue();
    expect(await idsOf(bot)).toEqual([101, 102, 103, 104, 105]);
    expect(await idsOf(bot, { offset: 103 })).toEqual([103, 104, 105]);
    expect(await idsOf(bot)).toEqual([103, 104, 105]);
  });

  test('last + 1 to last + 11 acknowledge everything, and the next update is not born acknowledged', async () => {
    const bot = await queue();
    expect(await idsOf(bot, { offset: 106 })).toEqual([]);
    expect(await idsOf(bot, { offset: 116 })).toEqual([]);
    await accept(bot, update(106));
    expect(await idsOf(bot, { offset: 116 })).toEqual([116]);
  });

  test('an offset far above the end, or far below the head, reads from the head', async () => {
    const bot = await queue();
    expect(await idsOf(bot, { offset: 117 })).toEqual([101, 102, 103, 104, 105]);
    await accept(bot, update(300_000));
    expect(await idsOf(bot, { offset: 300_000 })).toEqual([300_000]);
    expect(await idsOf(bot, { offset: 103 })).toEqual([300_000]);
  });

  test('a negative offset keeps the newest ones', async () => {
    const bot = await queue();
    expect(await idsOf(bot, { offset: -50 })).toEqual([101, 102, 103, 104, 105]);
    expect(await idsOf(bot, { offset: -3, limit: 1 })).toEqual([103]);
    expect(await idsOf(bot)).toEqual([103, 104, 105]);
    expect(await idsOf(bot, { offset: -1 })).toEqual([105]);
    expect(await idsOf(bot)).toEqual([105]);
  });

  test('a negative offset counts what its reader gets, however much of others lies before it', async () => {
    const bot = await queue();
    await read(bot, { consumer: 'audit' });
    for (let from = 106; from < 2606; from += 500) {
      await accept(bot, ...Array.from({ length: 500 }, (_, at) => update(from + at, 'chat_member')));
    }
    expect(await idsOf(bot, { offset: -1 })).toEqual([105]);
    expect(await idsOf(bot, { consumer: 'audit', kinds: ['message'], offset: -2 })).toEqual([104, 105]);
    expect(await idsOf(bot, { consumer: 'audit', offset: -1 })).toEqual([2605]);
  }, 30_000);

  test('a client that begins at offset 1 after a restart is not served what was acknowledged', async () => {
    const bot = await queue();
    await idsOf(bot, { offset: 104 });
    expect(await idsOf(bot, { offset: 1 })).toEqual([104, 105]);
  });

  test('a slower poller of the same consumer still reads what a faster one acknowledged', async () => {
    const bot = await queue();
    await idsOf(bot, { offset: 106 });
    expect(await idsOf(bot, { offset: 102 })).toEqual([102, 103, 104, 105]);
    expect(await idsOf(bot)).toEqual([]);
  });

  test('a waiting poll is answered by what is accepted; a timeout brings nothing', async () => {
    const bot = await registered({});
    const waiting = read(bot, { timeoutMs: 20_000 });
    await accept(bot, update(1), update(2));
    expect(ids(await waiting)).toEqual([1, 2]);
    expect(await idsOf(bot, { offset: 3, timeoutMs: 20 })).toEqual([]);
  });

  test('every waiting poller receives a new update', async () => {
    const bot = await registered({});
    const polls = [1, 2, 3].map(() => read(bot, { timeoutMs: 20_000 }));
    await accept(bot, update(1));
    expect((await Promise.all(polls)).map(ids)).toEqual([[1], [1], [1]]);
  });

  test('stops at 4 MiB and goes on after the acknowledgement', async () => {
    const bot = await registered({});
    const big = (id: number) => update(id).replace('"text":"', `"text":"${'x'.repeat(300 * 1024)}`);
    for (let id = 1; id <= 20; id += 1) await accept(bot, big(id));
    expect(await idsOf(bot)).toHaveLength(13);
    expect(await idsOf(bot, { offset: 14 })).toHaveLength(7);
  });

  test('skips what has expired and what allowed_updates left out', async () => {
    const bot = await registered({ allowedUpdates: ['message', 'callback_query'] });
    await accept(
      bot,
      `{"update_id":1,"callback_query":{"id":"1","from":{"id":5}}}`,
      update(2),
      update(3, 'channel_post'),
    );
    nowMs += 151_000;
    expect(await idsOf(bot)).toEqual([2]);
  });

  test('a named consumer has a cursor and a filter of its own, and starts at the oldest kept', async () => {
    const bot = await queue();
    await idsOf(bot, { offset: 104 });
    expect(await idsOf(bot, { consumer: 'audit' })).toEqual([101, 102, 103, 104, 105]);
    await accept(bot, update(106, 'chat_member'));
    expect(await idsOf(bot, { consumer: 'audit', offset: 105 })).toEqual([105, 106]);
    expect(await idsOf(bot, { consumer: 'audit', kinds: ['chat_member'] })).toEqual([106]);
    expect(await idsOf(bot)).toEqual([104, 105]);
    for (let at = 0; at < 15; at += 1) await read(bot, { consumer: `c${at}` });
    await expect(read(bot, { consumer: 'seventeenth' })).rejects.toThrow('at most 16');
  });

  test('a named consumer is forgotten a day after its last poll, and makes room for another', async () => {
    const bot = await queue();
    for (let at = 0; at < 15; at += 1) await read(bot, { consumer: `c${at}` });
    await read(bot, { consumer: 'returns', offset: 106 });
    nowMs += 20 * 3_600_000;
    await read(bot, { consumer: 'returns', offset: 106 });
    nowMs += 5 * 3_600_000;
    expect(await idsOf(bot, { consumer: 'new' })).toEqual([]);
    await accept(bot, update(106));
    expect(await idsOf(bot, { consumer: 'returns', offset: 106 })).toEqual([106]);
    expect(await redis.commands.hkeys(botKeys(bot.id).consumers)).toHaveLength(2);
  });
});

describe('push and pull as one queue', () => {
  const backend = { proxyEnabled: true, backendUrl: 'http://127.0.0.1:1/' };
  const ownsTurn = () => true;
  let claims = 0;
  const request = () => {
    claims += 1;
    return { name: `claim ${claims}`, limit: 0, trim: false, end: null, ownsTurn };
  };
  const claim = async (bot: Bot, fencingToken: number | null, settled: SettledUpdate[] = [], limit = 10) => {
    const claimed = await claimForPush(deps(), bot, { ...request(), fencingToken, limit, trim: true }, settled);
    if (claimed.outcome !== 'claimed') throw new Error('lost the turn');
    return claimed;
  };
  const idsIn = ({ units }: { units: ClaimedUnit[] }) => units.map((unit) => unit.updates[0].id);
  const unitOf = (lane: string, unitId: string): ClaimedUnit => {
    const first = { id: Number(unitId), raw: '', kind: 'message', acceptedAtMs: 0, expiresAtMs: 0, traceparent: null };
    return { lane, unitId, updates: [first], retry: null, progress: '' };
  };
  const delivered = (lane: string, unitId: string): SettledUpdate => ({
    unit: unitOf(lane, unitId),
    outcome: 'delivered',
  });
  const own = async (bot: Bot) => (await claim(bot, null, [], 0)).fencingToken;
  /** Ends a turn that sleeps; true when its pending turn was taken away. */
  const ends = async (bot: Bot, fencingToken: number) => {
    const last = await claimForPush(deps(), bot, { ...request(), fencingToken, end: 'asleep' }, []);
    return last.outcome === 'claimed' && last.ended;
  };

  test('one update of a lane is out at a time, lanes side by side', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1, 'message', 5), update(2, 'message', 5), update(3, 'message', 6));
    const fencingToken = await own(bot);
    expect(idsIn(await claim(bot, fencingToken))).toEqual([1, 3]);
    expect((await claim(bot, fencingToken)).units).toEqual([]);
    const next = await claim(bot, fencingToken, [delivered('c:5', '1')]);
    expect(idsIn(next)).toEqual([2]);
  });

  test('a failing update blocks only its lane, until its time', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1, 'message', 5), update(2, 'message', 5), update(3, 'message', 6));
    const fencingToken = await own(bot);
    const { units } = await claim(bot, fencingToken);
    let record = afterFailure(null, refused, day, nowMs);
    record = afterFailure(record, refused, day, nowMs);
    const failed = await claim(bot, fencingToken, [
      { unit: units[0]!, outcome: 'retry', atMs: record.nextTryAtMs, record },
      { unit: units[1]!, outcome: 'delivered' },
    ]);
    expect(failed).toMatchObject({ units: [], nextDueMs: nowMs + 2000 });
    expect(await ends(bot, fencingToken)).toBe(true);
    nowMs += 2000;
    const again = await claim(bot, fencingToken);
    expect(again.units).toMatchObject([{ updates: [{ id: 1 }], retry: { attempts: 2 } }]);
  });

  test('a new owner has what the dead one had in flight; the old one is refused', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1), update(2));
    const dead = await own(bot);
    await claim(bot, dead);
    const fencingToken = await own(bot);
    expect(idsIn(await claim(bot, fencingToken))).toEqual([1]);
    expect(await claimForPush(deps(), bot, { ...request(), fencingToken: dead, limit: 1 }, [])).toEqual({
      outcome: 'lost',
    });
  });

  test('what owners died with three times is buried; what was in flight beside it is not', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1), update(2), update(3, 'message', 6));
    const begins = async () => {
      const fencingToken = await own(bot);
      return { fencingToken, ids: idsIn(await claim(bot, fencingToken)) };
    };
    expect((await begins()).ids).toEqual([1, 3]);
    expect((await begins()).ids).toEqual([1, 3]);
    // A unit with which two owners died is tried alone.
    const third = await begins();
    expect(third.ids).toEqual([1]);
    expect((await claim(bot, third.fencingToken)).units).toEqual([]);
    const fourth = await begins();
    expect(fourth.ids).toEqual([2]);
    const alone = await claim(bot, fourth.fencingToken, [delivered('c:5', '2')]);
    expect(idsIn(alone)).toEqual([3]);
    await claim(bot, fourth.fencingToken, [delivered('c:6', '3')]);
    await accept(bot, update(4), update(5, 'message', 6));
    expect(idsIn(await claim(bot, fourth.fencingToken))).toEqual([4, 5]);
    const stream = await redis.commands.xrange(botKeys(bot.id).history, '-', '+');
    expect(stream.filter(([, fields]) => fields.includes('dead'))).toHaveLength(1);
  });

  test('a claim whose answer was lost is carried out once, and none of its units counts as begun', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1), update(2), update(3, 'message', 6));
    const fencingToken = await own(bot);
    let settled: SettledUpdate[] = [];
    const claimed = [];
    // The pause is longer than the timeout of a command, so the claim is sent again before Redis carries it out.
    for (let round = 0; round < 4; round += 1) {
      await redis.commands.client('PAUSE', 1_100);
      expect((await claim(bot, fencingToken, settled)).units).toEqual([]);
      const found = await claim(bot, fencingToken);
      claimed.push(idsIn(found));
      settled = found.units.slice(0, 1).map((unit) => ({ unit, outcome: round < 2 ? 'returned' : 'delivered' }));
    }
    // Four claims were lost, and an update may begin three times without an end. Update 3 stays in flight.
    expect(claimed).toEqual([[1, 3], [1], [1], [2]]);
    expect(await redis.commands.hget(botKeys(bot.id).state, 'pend')).toBe('2');
    const stream = await redis.commands.xrange(botKeys(bot.id).history, '-', '+');
    expect(stream.filter(([, fields]) => fields.includes('dead'))).toEqual([]);
  });

  test('a turn whose first answer was lost begins with what that had claimed', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1));
    await redis.commands.client('PAUSE', 1_100);
    const { fencingToken, units } = await claim(bot, null, [], 1);
    expect(units).toEqual([]);
    expect(idsIn(await claim(bot, fencingToken))).toEqual([1]);
  });

  test('a claim is not asked for again once another owner may have begun', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1));
    const fencingToken = await own(bot);
    await redis.commands.client('PAUSE', 1_500);
    const lost = claimForPush(deps(), bot, { ...request(), fencingToken, limit: 1, ownsTurn: () => false }, []);
    await expect(lost).rejects.toThrow('Command timed out');
  });

  test('a claim is not asked for again for ever, though nobody else may have begun', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    const fencingToken = await own(bot);
    await server.freeze(12_000);
    const unanswered = claimForPush(deps(), bot, { ...request(), fencingToken, limit: 1 }, []);
    const outcome = await unanswered.catch((error: unknown) => error);
    await waitFor(() => redis.commands.ping());
    expect(isRedisUnavailable(outcome)).toBe(true);
  }, 30_000);

  test('what expires after tries without an answer is buried with their number', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1));
    const fencingToken = await own(bot);
    await claim(bot, fencingToken);
    const record = afterFailure(null, { code: 'timed_out', status: null, reason: 'Read timeout expired' }, day, nowMs);
    await claim(
      bot,
      fencingToken,
      [{ unit: unitOf('c:5', '1'), outcome: 'retry', atMs: record.nextTryAtMs, record }],
      0,
    );
    const failedAtMs = nowMs;
    nowMs += 86_400_000 * 2;
    expect((await claim(bot, fencingToken)).units).toEqual([]);
    const stream = await redis.commands.xrange(botKeys(bot.id).history, '-', '+');
    const letter = stream.find(([, fields]) => fields.includes('dead'))?.[1] ?? [];
    expect(letter.slice(letter.indexOf('w'))).toEqual([
      ...['w', 'expired before it could be delivered (Read timeout expired)', 'c', '1', 's', ''],
      ...[
        'code',
        'expired',
        'firstFailedAt',
        String(failedAtMs),
        'lastFailedAt',
        String(failedAtMs),
        'destinations',
        '',
      ],
      ...['excerpt', '', 'taken', ''],
    ]);
  });

  test('a turn begins with its first claim and ends with its last one, and what comes then makes a turn pending again', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1));
    const begun = await claimForPush(deps(), bot, { ...request(), fencingToken: null, limit: 10, end: 'idle' }, []);
    expect(begun).toMatchObject({ units: [{ unitId: '1' }], ended: false });
    const { fencingToken } = begun as { fencingToken: number };
    const last = { ...request(), fencingToken, limit: 10, end: 'idle' as const };
    expect(await claimForPush(deps(), bot, last, [delivered('c:5', '1')])).toMatchObject({ ended: true });
    const pendingSince = () => redis.commands.zscore(botKeys(bot.id).pendingTurns, `${bot.id}:push`);
    expect(await pendingSince()).toBeNull();
    expect(await redis.commands.xlen(botKeys(bot.id).log)).toBe(0);
    await accept(bot, update(2));
    expect(await pendingSince()).not.toBeNull();
  });

  test('after deleteWebhook pull gets what push had not delivered, nothing twice', async () => {
    const bot = await registered({ ...backend });
    await accept(bot, update(1, 'message', 5), update(2, 'message', 6), update(3, 'message', 7));
    const fencingToken = await own(bot);
    await claim(bot, fencingToken);
    await claim(bot, fencingToken, [delivered('c:5', '1'), delivered('c:7', '3')]);
    const pulling = { ...bot, proxyEnabled: false, backendUrl: '', revision: 2 };
    await mirrorBot(deps(), pulling, { handOver: true });
    expect(await idsOf(pulling)).toEqual([2]);
    await accept(pulling, update(4));
    expect(await idsOf(pulling)).toEqual([2, 4]);
  });

  test('after setWebhook push gets what pull had not acknowledged', async () => {
    const bot = await registered({});
    await accept(bot, update(1), update(2), update(3));
    await idsOf(bot, { offset: 2 });
    const pushing = { ...bot, ...backend, revision: 2 };
    await mirrorBot(deps(), pushing, { handOver: true });
    expect(idsIn(await claim(pushing, await own(pushing)))).toEqual([2]);
  });

  test('a webhook that is removed and set again finds what came in between', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1));
    await mirrorBot(deps(), { ...bot, proxyEnabled: false, backendUrl: '', revision: 2 }, { handOver: true });
    await accept(bot, update(2));
    await mirrorBot(deps(), { ...bot, revision: 3 }, { handOver: true });
    const fencingToken = await own(bot);
    expect(idsIn(await claim(bot, fencingToken))).toEqual([1]);
    const next = await claim(bot, fencingToken, [delivered('c:5', '1')]);
    expect(idsIn(next)).toEqual([2]);
  });

  test('dropping what waits drops it for both, and fences the turn that runs', async () => {
    const bot = await registered({ ...backend });
    await accept(bot, update(1), update(2));
    const fencingToken = await own(bot);
    await mirrorBot(deps(), { ...bot, revision: 2 }, { dropPending: true });
    expect(await claimForPush(deps(), bot, { ...request(), fencingToken, limit: 1 }, [])).toEqual({
      outcome: 'lost',
    });
    expect(await idsOf(bot)).toEqual([]);
    expect((await claim(bot, await own(bot))).units).toEqual([]);
  });

  test('the log keeps only what some reader still needs', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1), update(2, 'message', 6));
    const fencingToken = await own(bot);
    await claim(bot, fencingToken);
    await claim(bot, fencingToken, [delivered('c:5', '1'), delivered('c:6', '2')]);
    expect(await ends(bot, fencingToken)).toBe(true);
    expect(await redis.commands.xlen(botKeys(bot.id).log)).toBe(0);
  });

  const failing = (unit: ClaimedUnit, begunAtMs: number) => {
    const record = afterFailure(null, refused, day, nowMs);
    const attempt = {
      at: new Date(begunAtMs).toISOString(),
      update_id: unit.updates[0].id,
      status: 500,
      duration_ms: 1,
      error: 'down',
    };
    return { unit, outcome: 'retry' as const, atMs: record.nextTryAtMs, record, attempt };
  };

  test('the breaker of a backend that fails for ten seconds opens: one probe at a time, ever more rarely, and appends wake nobody', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1, 'message', 5), update(2, 'message', 6), update(3, 'message', 7));
    const fencingToken = await own(bot);
    const begunAtMs = nowMs;
    const first = await claim(bot, fencingToken);
    nowMs += 10_000;
    const opened = await claim(
      bot,
      fencingToken,
      first.units.map((unit) => failing(unit, begunAtMs)),
    );
    expect(opened).toMatchObject({ breakerOpened: true, units: [], nextDueMs: nowMs + 2000 });
    expect(await readBotStatus(deps(), bot)).toMatchObject({ backendState: 'open', pendingUpdateCount: 3 });
    expect(await ends(bot, fencingToken)).toBe(true);
    await accept(bot, update(4, 'message', 8));
    expect(await redis.commands.zscore(botKeys(bot.id).pendingTurns, `${bot.id}:push`)).toBeNull();
    for (const probeMs of [2000, 4000, 8000]) {
      nowMs += probeMs;
      const probe = await claim(bot, fencingToken);
      expect(probe.units).toHaveLength(1);
      expect((await claim(bot, fencingToken)).units).toEqual([]);
      const after = await claim(bot, fencingToken, [failing(probe.units[0]!, nowMs)]);
      expect(after).toMatchObject({ breakerOpened: false, units: [], nextDueMs: nowMs + probeMs * 2 });
    }
    // Each probe renews the error, and not the begin of the failure.
    expect(await readBotStatus(deps(), bot)).toMatchObject({
      failingSinceMs: begunAtMs,
      deliveryError: { atMs: nowMs },
    });
    nowMs += 16_000;
    const [probe] = (await claim(bot, fencingToken)).units;
    const resumed = await claim(bot, fencingToken, [{ unit: probe!, outcome: 'delivered' }]);
    expect(resumed).toMatchObject({ breakerClosed: true });
    expect(resumed.units).toHaveLength(3);
    expect(await readBotStatus(deps(), bot)).toMatchObject({ backendState: 'ok', failingSinceMs: null });
  });

  test('a backend that answers nothing but 410 for 23 hours is hopeless; any other answer begins the time anew', async () => {
    const bot = await registered({ ...backend, longPollEnabled: false });
    await accept(bot, update(1));
    const fencingToken = await own(bot);
    const answer = async (status: number) => {
      nowMs += 120_000;
      const [unit] = (await claim(bot, fencingToken)).units;
      const { attempt, ...result } = failing(unit!, nowMs);
      return (await claim(bot, fencingToken, [{ ...result, attempt: { ...attempt, status } }], 0)).hopeless;
    };
    expect(await answer(410)).toBe(false);
    expect(await answer(500)).toBe(false);
    expect(await redis.commands.hexists(botKeys(bot.id).state, 'goneSince')).toBe(0);
    expect(await answer(410)).toBe(false);
    await redis.commands.hset(botKeys(bot.id).state, 'goneSince', nowMs - 23 * 3_600_000);
    expect(await answer(410)).toBe(true);
  });
});
