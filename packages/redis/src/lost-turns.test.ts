import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, test } from '@jest/globals';
import { deduplicationKey } from './bullmq-internals.ts';
import { connectRedis, type RedisHandles } from './connect.ts';
import { type TurnKind, type TurnQueue, turnQueue } from './turn-queue.ts';
import { type Turn, type TurnOutcome, turnWorker } from './turn-worker.ts';

const log = { warn: () => {}, error: () => {} };
/** Longer than a command waits for its answer, and than a second try of it. */
const AWAY_MS = 2_500;
const HOUR_MS = 3_600_000;
/** The scripts by which BullMQ takes a job and ends one, which have so many keys; a new connection sends their text first. */
const TAKES = /evalsha\r\n\$40\r\n\w{40}\r\n\$2\r\n11\r\n/i;
const ENDS = /Move job from active to a finished status|evalsha\r\n\$40\r\n\w{40}\r\n\$2\r\n14\r\n/i;
/** A lock expires in this time, and upkeep of BullMQ finds it. */
const LEFT_BEHIND = { timeoutMs: 40_000 };

/** A worker's own line to Redis, which can be disturbed. */
type Line = { relay: TcpRelay; redis: RedisHandles; work(kind: TurnKind, run: Turn): void };

let server: TestRedis;
let redis: RedisHandles;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log });
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await redis.commands.flushall();
});
afterAll(async () => {
  await redis?.close();
  await server?.stop();
});

async function openLine(): Promise<Line> {
  const url = new URL(server.url);
  const relay = await startTcpRelay(Number(url.port));
  url.port = String(relay.port);
  const own = await connectRedis({ url: url.href, log });
  ends.push(async () => {
    await own.close();
    await relay.stop();
  });
  const work = (kind: TurnKind, run: Turn) => {
    const queue = turnQueue(own, kind);
    const worker = turnWorker({ redis: own, queue, concurrency: 10, run, log });
    worker.serve([1]);
    ends.push(async () => {
      await Promise.all([worker.close(), queue.close()]);
    });
  };
  return { relay, redis: own, work };
}

/** Of a kind, over a line that is never disturbed. */
function undisturbed(kind: TurnKind): TurnQueue {
  const queue = turnQueue(redis, kind);
  ends.push(() => queue.close());
  return queue;
}

const jobOf = (queue: TurnQueue) => redis.commands.get(deduplicationKey(queue.partOf(1), '1'));

const faults = {
  'breaks its connections': (relay: TcpRelay) => relay.cut(),
  'answers nothing': async (relay: TcpRelay) => relay.hang(),
  'loses its answers': async (relay: TcpRelay) => relay.loseAnswers(/./),
};
const outcomes = {
  sleeps: () => ({ next: 'at', atMs: Date.now() + 50 }),
  'has more to do': () => ({ next: 'again' }),
  fails: () => {
    throw new Error('broken');
  },
} satisfies Record<string, () => TurnOutcome>;

test.each(Object.keys(faults) as (keyof typeof faults)[])(
  'no turn is lost when Redis %s while it ends',
  async (fault) => {
    await Promise.all(
      (Object.keys(outcomes) as (keyof typeof outcomes)[]).map(async (name, at) => {
        const kind = (['push', 'rules', 'programs'] as const)[at]!;
        const [line, queue] = [await openLine(), undisturbed(kind)];
        let turns = 0;
        line.work(kind, async () => {
          turns += 1;
          if (turns > 1) return { next: 'idle' };
          await faults[fault](line.relay);
          void sleep(AWAY_MS).then(() => line.relay.restore());
          return outcomes[name]();
        });
        await queue.wake(1);
        await waitFor(() => turns === 2, { timeoutMs: 15_000, message: `the next turn after one that ${name}` });
      }),
    );
  },
);

/** Whose answer is lost by which a worker takes it. */
async function losesTaking(): Promise<void> {
  const [line, queue] = [await openLine(), undisturbed('push')];
  let turns = 0;
  line.work('push', async () => {
    turns += 1;
    return { next: 'idle' };
  });
  await queue.wake(1);
  await waitFor(async () => turns === 1 && (await jobOf(queue)) === null);
  line.relay.loseAnswers(TAKES);
  await queue.wake(1);
  await waitFor(async () => (await queue.counts()).active === 1, { message: 'the turn being taken' });
  await line.relay.restore();
  await waitFor(() => turns === 2, { ...LEFT_BEHIND, message: 'the turn that was taken without an answer' });
}

/** Whose answer is lost by which a worker ends it and takes the next one. */
async function losesEnding(): Promise<void> {
  const [line, queue] = [await openLine(), undisturbed('rules')];
  let turns = 0;
  let first: string | null = null;
  line.work('rules', async () => {
    turns += 1;
    if (turns > 1) return { next: 'idle' };
    first = await jobOf(queue);
    await queue.wake(1);
    line.relay.loseAnswers(ENDS);
    return { next: 'idle' };
  });
  await queue.wake(1);
  await waitFor(async () => first !== null && (await jobOf(queue)) !== first, {
    message: 'the first turn being ended',
  });
  await line.relay.restore();
  await waitFor(() => turns === 2, { ...LEFT_BEHIND, message: 'the turn after the one that ended without an answer' });
}

/** Whose first worker loses it and then stores a sleep, after the second one was woken once more. */
async function sleepsLate(): Promise<void> {
  const [lost, next, queue] = [await openLine(), await openLine(), undisturbed('programs')];
  const taken: string[] = [];
  const [released, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  lost.work('programs', async () => {
    taken.push('lost');
    lost.relay.hang();
    await woken.promise;
    await lost.relay.restore();
    await waitFor(async () => (await lost.redis.commands.ping()) === 'PONG');
    return { next: 'at', atMs: Date.now() + HOUR_MS };
  });
  await queue.wake(1);
  await waitFor(() => taken.length === 1);
  next.work('programs', async () => {
    taken.push('next');
    if (taken.length === 2) await released.promise;
    return { next: 'idle' };
  });
  await waitFor(() => taken.length === 2, LEFT_BEHIND);
  await queue.wake(1);
  const stored = () => redis.commands.hget(queue.partOf(1).toKey('dn:1'), 'jid');
  const ofWake = await stored();
  woken.resolve();
  await waitFor(async () => (await stored()) !== ofWake, { message: 'what the first worker stores' });
  released.resolve();
  await waitFor(() => taken.length >= 3, { message: 'the turn for which the second one was woken' });
}

test('no turn is lost with an answer to its worker, or by a worker that has lost it', async () => {
  await Promise.all([losesTaking(), losesEnding(), sleepsLate()]);
}, 90_000);
