import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { logScene } from '@flotilla/testing/log-scene.ts';
import { NO_FLOODS } from '@flotilla/testing/no-floods.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { readBotStatus } from '../../fleet/bot-list/bot-status.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { mirrorBot } from '../../fleet/bots/bot-mirror.ts';
import type { ClaimedUnit } from '../lanes/claimed-unit.ts';
import { afterFailure } from '../lanes/retry-schedule.ts';
import { claimDeliveries, type SettledUpdate } from './claim-deliveries.ts';

const scene = logScene();
const { accept, deps, idsOf, nowMs, passMs, redis, registered, server, update } = scene;
beforeAll(scene.open);
afterEach(scene.clear);
afterAll(scene.close);

const refused = { code: 'refused' as const, status: 500, reason: 'Wrong response from the webhook: 500' };
const day = { expiresAtMs: Date.now() + 86_400_000 };
const backend = { proxy_enabled: true, backend_url: 'http://127.0.0.1:1/' };
const ownsTurn = () => true;
let claims = 0;
const request = () => {
  claims += 1;
  return { name: `the turn${String(claims).padStart(7, '0')}`, limit: 0, trim: false, end: null, ownsTurn };
};
const claim = async (bot: Bot, fencingToken: number | null, settled: SettledUpdate[] = [], limit = 10) => {
  const claimed = await claimDeliveries(deps(), bot, { ...request(), fencingToken, limit, trim: true }, settled);
  if (claimed.outcome !== 'claimed') throw new Error('lost the turn');
  return claimed;
};
const claimedIds = ({ units }: { units: ClaimedUnit[] }) => units.map((unit) => unit.updates[0].id);
const unitOf = (lane: string, unitId: string): ClaimedUnit => {
  const first = { id: Number(unitId), raw: '', kind: 'message', acceptedAtMs: 0, expiresAtMs: 0, traceparent: null };
  return { lane, unitId, updates: [first], retry: null, progress: '' };
};
const delivered = (lane: string, unitId: string): SettledUpdate => ({
  unit: unitOf(lane, unitId),
  outcome: 'delivered',
});
const own = async (bot: Bot) => (await claim(bot, null, [], 0)).fencingToken;
/** The next script is carried out, and its answer does not come. */
const loseNextAnswer = () => {
  const commands = redis().commands as { fcall(...args: unknown[]): Promise<unknown> };
  const { fcall } = commands;
  commands.fcall = async (...args) => {
    commands.fcall = fcall;
    await fcall.apply(commands, args);
    throw new Error('Command timed out');
  };
};
/** Ends a turn that sleeps; true when its pending turn was taken away. */
const ends = async (bot: Bot, fencingToken: number) => {
  const last = await claimDeliveries(deps(), bot, { ...request(), fencingToken, end: 'asleep' }, []);
  return last.outcome === 'claimed' && last.ended;
};

test('one update of a lane is out at a time, lanes side by side', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1, 'message', 5), update(2, 'message', 5), update(3, 'message', 6));
  const fencingToken = await own(bot);
  expect(claimedIds(await claim(bot, fencingToken))).toEqual([1, 3]);
  expect((await claim(bot, fencingToken)).units).toEqual([]);
  const next = await claim(bot, fencingToken, [delivered('c:5', '1')]);
  expect(claimedIds(next)).toEqual([2]);
});

test('a failing update blocks only its lane, until its time', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1, 'message', 5), update(2, 'message', 5), update(3, 'message', 6));
  const fencingToken = await own(bot);
  const { units } = await claim(bot, fencingToken);
  let record = afterFailure(null, refused, day, nowMs());
  record = afterFailure(record, refused, day, nowMs());
  const failed = await claim(bot, fencingToken, [
    { unit: units[0]!, outcome: 'retry', atMs: record.nextTryAtMs, record },
    { unit: units[1]!, outcome: 'delivered' },
  ]);
  expect(failed).toMatchObject({ units: [], nextDueMs: nowMs() + 2000 });
  expect(await ends(bot, fencingToken)).toBe(true);
  await passMs(bot, 2000);
  const again = await claim(bot, fencingToken);
  expect(again.units).toMatchObject([{ updates: [{ id: 1 }], retry: { attempts: 2 } }]);
});

test('a new owner has what the dead one had in flight; the old one is refused', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1), update(2));
  const dead = await own(bot);
  await claim(bot, dead);
  const fencingToken = await own(bot);
  expect(claimedIds(await claim(bot, fencingToken))).toEqual([1]);
  expect(await claimDeliveries(deps(), bot, { ...request(), fencingToken: dead, limit: 1 }, [])).toEqual({
    outcome: 'lost',
  });
});

test('what owners died with three times is given up; what was in flight beside it is not', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1), update(2), update(3, 'message', 6));
  const begins = async () => {
    const fencingToken = await own(bot);
    return { fencingToken, ids: claimedIds(await claim(bot, fencingToken)) };
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
  expect(claimedIds(alone)).toEqual([3]);
  await claim(bot, fourth.fencingToken, [delivered('c:6', '3')]);
  await accept(bot, update(4), update(5, 'message', 6));
  expect(claimedIds(await claim(bot, fourth.fencingToken))).toEqual([4, 5]);
  const stream = await redis().commands.xrange(botKeys(bot.id).history, '-', '+');
  expect(stream.filter(([, fields]) => fields.includes('dead'))).toHaveLength(1);
});

test('a claim whose answer was lost is carried out once, and none of its units counts as begun', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1), update(2), update(3, 'message', 6));
  const fencingToken = await own(bot);
  let settled: SettledUpdate[] = [];
  const claimed = [];
  for (let round = 0; round < 4; round += 1) {
    loseNextAnswer();
    expect((await claim(bot, fencingToken, settled)).units).toEqual([]);
    const found = await claim(bot, fencingToken);
    claimed.push(claimedIds(found));
    settled = found.units.slice(0, 1).map((unit) => ({ unit, outcome: round < 2 ? 'returned' : 'delivered' }));
  }
  // Four claims were lost, and an update may begin three times without an end. Update 3 stays in flight.
  expect(claimed).toEqual([[1, 3], [1], [1], [2]]);
  expect(await redis().commands.hget(botKeys(bot.id).state, 'pushPending')).toBe('2');
  const stream = await redis().commands.xrange(botKeys(bot.id).history, '-', '+');
  expect(stream.filter(([, fields]) => fields.includes('dead'))).toEqual([]);
});

test('a turn whose first answer was lost begins with what that had claimed', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1));
  loseNextAnswer();
  const { fencingToken, units } = await claim(bot, null, [], 1);
  expect(units).toEqual([]);
  expect(claimedIds(await claim(bot, fencingToken))).toEqual([1]);
});

test('a claim is not asked for again once another owner may have begun', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1));
  const fencingToken = await own(bot);
  await redis().commands.client('PAUSE', 1_500);
  const lost = claimDeliveries(deps(), bot, { ...request(), fencingToken, limit: 1, ownsTurn: () => false }, []);
  await expect(lost).rejects.toThrow('Command timed out');
});

test('a claim is not asked for again for ever, though nobody else may have begun', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  const fencingToken = await own(bot);
  await server().freeze(12_000);
  const unanswered = claimDeliveries(deps(), bot, { ...request(), fencingToken, limit: 1 }, []);
  const outcome = await unanswered.catch((error: unknown) => error);
  await waitFor(() => redis().commands.ping());
  expect(isRedisUnavailable(outcome)).toBe(true);
}, 30_000);

test('what expires after tries without an answer is given up with their number', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1));
  const fencingToken = await own(bot);
  await claim(bot, fencingToken);
  const record = afterFailure(null, { code: 'timed_out', status: null, reason: 'Read timeout expired' }, day, nowMs());
  await claim(bot, fencingToken, [{ unit: unitOf('c:5', '1'), outcome: 'retry', atMs: record.nextTryAtMs, record }], 0);
  const failedAtMs = nowMs();
  await passMs(bot, 86_400_000 * 2);
  expect((await claim(bot, fencingToken)).units).toEqual([]);
  const stream = await redis().commands.xrange(botKeys(bot.id).history, '-', '+');
  const letter = stream.find(([, fields]) => fields.includes('dead'))?.[1] ?? [];
  expect(letter.slice(letter.indexOf('w'))).toEqual([
    ...['w', 'expired before it could be delivered (Read timeout expired)', 'c', '1', 's', ''],
    ...['code', 'expired', 'firstFailedAt', String(failedAtMs), 'lastFailedAt', String(failedAtMs), 'destinations', ''],
    ...['excerpt', '', 'exclusive', '0'],
  ]);
});

test('a turn begins with its first claim and ends with its last one, and what comes then makes a turn pending again', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1));
  const begun = await claimDeliveries(deps(), bot, { ...request(), fencingToken: null, limit: 10, end: 'idle' }, []);
  expect(begun).toMatchObject({ units: [{ unitId: '1' }], ended: false });
  const { fencingToken } = begun as { fencingToken: number };
  const last = { ...request(), fencingToken, limit: 10, end: 'idle' as const };
  expect(await claimDeliveries(deps(), bot, last, [delivered('c:5', '1')])).toMatchObject({ ended: true });
  const pendingSince = () => redis().commands.zscore(botKeys(bot.id).pendingTurns, `${bot.id}:push`);
  expect(await pendingSince()).toBeNull();
  expect(await redis().commands.xlen(botKeys(bot.id).log)).toBe(0);
  await accept(bot, update(2));
  expect(await pendingSince()).not.toBeNull();
});

test('after deleteWebhook pull gets what push had not delivered, nothing twice', async () => {
  const bot = await registered({ ...backend });
  await accept(bot, update(1, 'message', 5), update(2, 'message', 6), update(3, 'message', 7));
  const fencingToken = await own(bot);
  await claim(bot, fencingToken);
  await claim(bot, fencingToken, [delivered('c:5', '1'), delivered('c:7', '3')]);
  const pulling = { ...bot, proxy_enabled: false, backend_url: '', revision: 2 };
  await mirrorBot(deps(), pulling, { stored: [{ revision: 2, handOver: true }] });
  expect(await idsOf(pulling)).toEqual([2]);
  await accept(pulling, update(4));
  expect(await idsOf(pulling)).toEqual([2, 4]);
});

test('after setWebhook push gets what pull had not acknowledged', async () => {
  const bot = await registered({});
  await accept(bot, update(1), update(2), update(3));
  await idsOf(bot, { offset: 2 });
  const pushing = { ...bot, ...backend, revision: 2 };
  await mirrorBot(deps(), pushing, { stored: [{ revision: 2, handOver: true }] });
  expect(claimedIds(await claim(pushing, await own(pushing)))).toEqual([2]);
});

test('a webhook that is removed and set again finds what came in between', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1));
  await mirrorBot(
    deps(),
    { ...bot, proxy_enabled: false, backend_url: '', revision: 2 },
    { stored: [{ revision: 2, handOver: true }] },
  );
  await accept(bot, update(2));
  await mirrorBot(deps(), { ...bot, revision: 3 }, { stored: [{ revision: 3, handOver: true }] });
  const fencingToken = await own(bot);
  expect(claimedIds(await claim(bot, fencingToken))).toEqual([1]);
  const next = await claim(bot, fencingToken, [delivered('c:5', '1')]);
  expect(claimedIds(next)).toEqual([2]);
});

test('dropping what waits drops it for both, and fences the turn that runs', async () => {
  const bot = await registered({ ...backend });
  await accept(bot, update(1), update(2));
  const fencingToken = await own(bot);
  await mirrorBot(deps(), { ...bot, revision: 2 }, { drop: { dropPending: true } });
  expect(await claimDeliveries(deps(), bot, { ...request(), fencingToken, limit: 1 }, [])).toEqual({
    outcome: 'lost',
  });
  expect(await idsOf(bot)).toEqual([]);
  expect((await claim(bot, await own(bot))).units).toEqual([]);
});

test('the log keeps only what some reader still needs', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1), update(2, 'message', 6));
  const fencingToken = await own(bot);
  await claim(bot, fencingToken);
  await claim(bot, fencingToken, [delivered('c:5', '1'), delivered('c:6', '2')]);
  expect(await ends(bot, fencingToken)).toBe(true);
  expect(await redis().commands.xlen(botKeys(bot.id).log)).toBe(0);
});

const failing = (unit: ClaimedUnit, begunAtMs: number) => {
  const record = afterFailure(null, refused, day, nowMs());
  const attempt = {
    ...{ atMs: begunAtMs, updateId: unit.updates[0].id, chatId: 5, attempt: 1, revision: 1 },
    ...{ outcome: 'failed' as const, status: 500, durationMs: 1, error: 'down' },
  };
  return { unit, outcome: 'retry' as const, atMs: record.nextTryAtMs, record, attempts: [attempt] };
};

test('the breaker of a backend that fails for ten seconds opens: one probe at a time, ever more rarely, and appends wake nobody', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1, 'message', 5), update(2, 'message', 6), update(3, 'message', 7));
  const fencingToken = await own(bot);
  const first = await claim(bot, fencingToken);
  const opened = await claim(
    bot,
    fencingToken,
    first.units.map((unit) => failing(unit, nowMs() - 10_000)),
  );
  expect(opened).toMatchObject({ breakerOpened: true, units: [], nextDueMs: nowMs() + 2000 });
  const { failingSinceMs, ...status } = await readBotStatus({ ...deps(), floods: NO_FLOODS }, bot);
  expect(status).toMatchObject({ backendState: 'open', pendingUpdateCount: 3 });
  expect(await ends(bot, fencingToken)).toBe(true);
  await accept(bot, update(4, 'message', 8));
  expect(await redis().commands.zscore(botKeys(bot.id).pendingTurns, `${bot.id}:push`)).toBeNull();
  for (const probeMs of [2000, 4000, 8000]) {
    await passMs(bot, probeMs);
    const probe = await claim(bot, fencingToken);
    expect(probe.units).toHaveLength(1);
    expect((await claim(bot, fencingToken)).units).toEqual([]);
    const after = await claim(bot, fencingToken, [failing(probe.units[0]!, nowMs())]);
    expect(after).toMatchObject({ breakerOpened: false, units: [], nextDueMs: nowMs() + probeMs * 2 });
  }
  // Each probe renews the error, and not the begin of the failure.
  const failing14s = await readBotStatus({ ...deps(), floods: NO_FLOODS }, bot);
  expect(failing14s.failingSinceMs).toBe(failingSinceMs! - 14_000);
  expect(failing14s.deliveryError!.atMs - failing14s.failingSinceMs!).toBeGreaterThanOrEqual(24_000);
  await passMs(bot, 16_000);
  const [probe] = (await claim(bot, fencingToken)).units;
  const resumed = await claim(bot, fencingToken, [{ unit: probe!, outcome: 'delivered' }]);
  expect(resumed).toMatchObject({ breakerClosed: true });
  expect(resumed.units).toHaveLength(3);
  expect(await readBotStatus({ ...deps(), floods: NO_FLOODS }, bot)).toMatchObject({
    backendState: 'ok',
    failingSinceMs: null,
  });
});

test('a backend that answers nothing but 410 for 23 hours is hopeless; any other answer begins the time anew', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1));
  const fencingToken = await own(bot);
  const answer = async (status: number) => {
    await passMs(bot, 120_000);
    const [unit] = (await claim(bot, fencingToken)).units;
    const { attempts, ...result } = failing(unit!, nowMs());
    const answered = attempts.map((attempt) => ({ ...attempt, status }));
    return (await claim(bot, fencingToken, [{ ...result, attempts: answered }], 0)).hopeless;
  };
  expect(await answer(410)).toBe(false);
  expect(await answer(500)).toBe(false);
  expect(await redis().commands.hexists(botKeys(bot.id).state, 'goneSince')).toBe(0);
  expect(await answer(410)).toBe(false);
  await redis().commands.hset(botKeys(bot.id).state, 'goneSince', Date.now() - 23 * 3_600_000);
  expect(await answer(410)).toBe(true);
});

/** A process whose clock is wrong by so much. */
const wrongBy = (ms: number) => ({ ...deps(), clock: { nowMs: () => Date.now() + ms } });
const HOUR_MS = 3_600_000;

test('what a process puts off whose clock is hours ahead is due in time for one whose clock is behind, and back', async () => {
  for (const [one, other] of [
    [wrongBy(5 * HOUR_MS), wrongBy(-5 * HOUR_MS)],
    [wrongBy(-5 * HOUR_MS), wrongBy(5 * HOUR_MS)],
  ] as const) {
    const bot = await registered({ ...backend, long_poll_enabled: false });
    await accept(bot, update(1, 'message', 5), update(2, 'message', 6));
    const begun = await claimDeliveries(one, bot, { ...request(), fencingToken: null, limit: 10 }, []);
    if (begun.outcome !== 'claimed') throw new Error('lost the turn');
    const [failed, crashed] = begun.units;
    const atMs = one.clock.nowMs() + 60_000;
    const settled: SettledUpdate[] = [
      { unit: failed!, outcome: 'waits', atMs },
      { unit: crashed!, outcome: 'crashed', atMs },
    ];
    await claimDeliveries(one, bot, { ...request(), fencingToken: begun.fencingToken, limit: 10 }, settled);
    const next = () => claimDeliveries(other, bot, { ...request(), fencingToken: null, limit: 10 }, []);
    expect(await next()).toMatchObject({ units: [] });
    await passMs(bot, 60_000);
    const due = await next();
    expect(due.outcome === 'claimed' && claimedIds(due).sort()).toEqual([1, 2]);
  }
});

test('a claimed update has the times of the clock of its process', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, `{"update_id":1,"poll":{"id":"5"}}`);
  const behind = wrongBy(-5 * HOUR_MS);
  const claimed = await claimDeliveries(behind, bot, { ...request(), fencingToken: null, limit: 1 }, []);
  const [{ acceptedAtMs, expiresAtMs }] =
    claimed.outcome === 'claimed' ? claimed.units[0]!.updates : [unitOf('', '0').updates[0]];
  expect(expiresAtMs - acceptedAtMs).toBe(24 * HOUR_MS);
  expect(acceptedAtMs).toBeLessThanOrEqual(behind.clock.nowMs());
  expect(acceptedAtMs).toBeGreaterThan(behind.clock.nowMs() - HOUR_MS);
});

test('the longest Retry-After that is accepted is waited for', async () => {
  const bot = await registered({ ...backend, long_poll_enabled: false });
  await accept(bot, update(1));
  const fencingToken = await own(bot);
  const { units } = await claim(bot, fencingToken);
  const record = afterFailure(null, { ...refused, retryAfterS: 99_999 }, day, nowMs());
  await claim(bot, fencingToken, [{ unit: units[0]!, outcome: 'retry', atMs: record.nextTryAtMs, record }]);
  await passMs(bot, 3_500_000);
  expect((await claim(bot, await own(bot))).units).toEqual([]);
  await passMs(bot, 100_000);
  expect((await claim(bot, await own(bot))).units).toHaveLength(1);
});
