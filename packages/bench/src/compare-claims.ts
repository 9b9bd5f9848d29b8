import { measuredText } from '@flotilla/domain/records/activity/reader-counts.ts';
import { type Attempt, attemptLine } from '@flotilla/domain/records/journal/attempt-line.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { activityPrefixes, botKeys, readerMinutesPrefix } from '@flotilla/redis/keys.ts';
import { type ClaimForPushArgs, scripts } from '@flotilla/redis/script-calls.ts';
import { startTestRedis } from '@flotilla/testing/redis.ts';
import { acceptor, applyBot, BOT, REGISTRATION } from './compare-accepts.ts';

const ROUNDS = 20;
const UPDATES = 1_000;

/** The cost of keeping and counting the attempt of a delivery: its time within Redis and in the worker, and its memory there. */
export type JournalCost = { withoutUs: number; withUs: number; lineUs: number; bytes: number };

/** Settles so many deliveries a call, in turn with their attempts and without. */
export async function compareClaims(atOnce: number): Promise<JournalCost> {
  const server = await startTestRedis();
  const redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
  try {
    await applyBot(redis, BOT, 0);
    const [accept, turn] = [acceptor(redis, BOT, atOnce), deliverer(redis, atOnce)];
    const took = { with: [] as number[], without: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      await accept({ watched: false });
      took.without.push(await turn(false));
      await accept({ watched: false });
      took.with.push(await turn(true));
    }
    const { attempts } = botKeys(BOT);
    const bytes = Number(await redis.commands.call('MEMORY', 'USAGE', attempts, 'SAMPLES', '0'));
    const lines = await redis.commands.llen(attempts);
    return { withoutUs: middle(took.without), withUs: middle(took.with), lineUs: lineUs(), bytes: bytes / lines };
  } finally {
    await redis.close();
    await server.stop();
  }
}

function middle(rounds: number[]): number {
  return rounds.toSorted((one, other) => one - other)[Math.floor(rounds.length / 2)]!;
}

const attemptOf = (updateId: number): Attempt => ({
  ...{ atMs: 1_767_348_960_000 + updateId, updateId, chatId: -1_001_234_567_890, outcome: 'delivered' },
  ...{ status: 200, durationMs: updateId % 200, attempt: 1, revision: 12 },
});

/** Delivers all updates, so many at once; resolves to the time (µs) that Redis spent in the script for each. */
function deliverer(redis: RedisHandles, atOnce: number) {
  const { commands } = redis;
  const {
    state,
    log,
    history,
    pendingTurns,
    consumers,
    lanes,
    inFlight,
    work,
    redriven,
    attempts,
    live,
    failing,
    lane,
  } = botKeys(BOT);
  const keys = {
    state,
    log,
    history,
    pendingTurns,
    consumers,
    lanes,
    inFlight,
    work,
    redriven,
    attempts,
    live,
    failing,
  };
  let turns = 0;
  return async (keepsAttempts: boolean): Promise<number> => {
    turns += 1;
    let [claims, token] = [0, null as number | null];
    const claim = (settled: ClaimForPushArgs['settled'], tried: Attempt[]) => {
      claims += 1;
      return scripts.claimForPush(commands, keys, {
        ...{ registrationId: REGISTRATION, fencingToken: token, botId: BOT, lanePrefix: lane(''), limit: atOnce },
        ...{
          trims: false,
          begunAtMost: 3,
          ending: null,
          claim: `${String(turns).padStart(8, 't')}${String(claims).padStart(7, '0')}01`,
        },
        ...{ lastError: '', failedForMs: null, succeeded: settled.length > 0, answers: 'other' },
        ...{ ...activityPrefixes(BOT), readerMinutesPrefix: readerMinutesPrefix(BOT, 'push') },
        ...{ tried: tried.map(attemptLine).join('\n'), measured: measuredText(tried), hits: '', settled },
      });
    };
    let reply = await claim([], []);
    await commands.config('RESETSTAT');
    for (let done = 0; done < UPDATES; done += atOnce) {
      if (reply.outcome !== 'OK') throw new Error(`the claim answered ${reply.outcome}`);
      token = reply.fencingToken;
      const settled = reply.units.map(({ lane: inLane, updates: [update] }) => {
        const end = { outcome: 'delivered', dueInMs: null, json: '' } as const;
        return { lane: inLane, id: update!.inLane, members: 1, ...end };
      });
      const tried = keepsAttempts ? reply.units.map(({ updates: [update] }) => attemptOf(update!.id)) : [];
      reply = await claim(settled, tried);
    }
    const usec = /cmdstat_fcall:calls=(\d+),usec=(\d+)/.exec(await commands.info('commandstats'));
    return Number(usec?.[2]) / UPDATES;
  };
}

/** The time (µs) in which a worker makes the line of an attempt, and what is counted of it. */
function lineUs(): number {
  const made = (count: number) => {
    const begunAt = performance.now();
    let length = 0;
    for (let id = 0; id < count; id += 1)
      length += attemptLine(attemptOf(id)).length + measuredText([attemptOf(id)]).length;
    if (length === 0) throw new Error('no line was made');
    return ((performance.now() - begunAt) * 1000) / count;
  };
  made(50_000);
  return made(200_000);
}
