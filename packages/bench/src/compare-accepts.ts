import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { activityPrefixes, botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import { startTestRedis } from '@flotilla/testing/redis.ts';

export const BOT = 1;
export const REGISTRATION = 'registration-1';
const ROUNDS = 60;
/** Of each number of programs: their differences are larger. */
const PROGRAM_ROUNDS = 15;
const CALLS = 1_000;
const IDS_OF_A_BLOCK = 4_096;
const RAW_BYTES = 400;

/** The time of an accept within Redis (µs) of an update that nobody watches, and of one that somebody watches. */
export async function compareAccepts(): Promise<{ unwatchedUs: number; watchedUs: number }> {
  const server = await startTestRedis();
  const redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
  try {
    await applyBot(redis, BOT, 0);
    const accept = acceptor(redis, BOT);
    const took = { unwatched: [] as number[], watched: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      took.unwatched.push(await accept({ watched: false }));
      took.watched.push(await accept({ watched: true }));
    }
    return { unwatchedUs: typical(took.unwatched), watchedUs: typical(took.watched) };
  } finally {
    await redis.close();
    await server.stop();
  }
}

/** The time of an accept within Redis (µs) for a bot with so many programs that push, by their number. */
export async function compareProgramAccepts(counts: readonly number[]): Promise<Map<number, number>> {
  const server = await startTestRedis();
  const redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
  try {
    const took = new Map(counts.map((count) => [count, [] as number[]]));
    const accepts = new Map(counts.map((count, at) => [count, acceptor(redis, BOT + at)]));
    for (const [at, count] of counts.entries()) await applyBot(redis, BOT + at, count);
    for (let round = 0; round < PROGRAM_ROUNDS; round += 1) {
      for (const [count, accept] of accepts) took.get(count)!.push(await accept({ watched: false }));
    }
    return new Map([...took].map(([count, rounds]) => [count, typical(rounds)]));
  } finally {
    await redis.close();
    await server.stop();
  }
}

function typical(rounds: number[]): number {
  const fastest = rounds.toSorted((left, right) => left - right).slice(0, Math.ceil(rounds.length / 3));
  return fastest.reduce((sum, one) => sum + one, 0) / fastest.length;
}

export async function applyBot(redis: RedisHandles, bot: number, programs: number): Promise<void> {
  const keys = botKeys(bot);
  const ids = Array.from({ length: programs }, (_, at) => at + 1);
  const pushing = ids.map((id) => ` ${id}:1:target`).join('');
  await scripts.applyBot(redis.commands, keys, {
    registrationId: REGISTRATION,
    botId: bot,
    revision: 1,
    on: true,
    pull: false,
    push: true,
    rules: false,
    manage: true,
    allowed: '',
    seesHeld: ',',
    programs: `,${ids.join(',')},`,
    pushing,
    filters: '',
    filtersDigest: '',
    moves: 0,
    reservedId: 0,
    changesJson: '[]',
    drops: false,
    dropsOf: null,
    lanePrefix: keys.lane(''),
    rulesLanePrefix: keys.rulesLane(''),
    programPrefix: keys.programPrefix,
  });
}

/** Accepts the next updates of the bot; resolves to the time (µs) that Redis spent in the script for each. */
export function acceptor(redis: RedisHandles, bot: number, lanes = 1) {
  const { commands } = redis;
  const keys = botKeys(bot);
  const args = {
    registrationId: REGISTRATION,
    botId: bot,
    moves: 0,
    fencingToken: null,
    pollOffset: null,
    quickestLimit: 1e9,
    slowestLimit: null,
    traceparent: '',
    reservedId: 1e9,
    filtersDigest: '',
    marksJson: '',
    ...activityPrefixes(bot),
  };
  let id = 0;
  return async ({ watched }: { watched: boolean }): Promise<number> => {
    await commands.del(keys.log, keys.history, keys.live);
    await commands.hset(keys.state, 'watchedUntil', watched ? Date.now() + 60_000 : 0);
    if (watched) await commands.xadd(keys.live, '*', 't', 'begin');
    await commands.config('RESETSTAT');
    for (let call = 0; call < CALLS; call += 1) {
      id += 1;
      const raw = `{"update_id":${id},"text":"${'x'.repeat(RAW_BYTES)}"}`;
      const seen = [keys.seen(Math.floor(id / IDS_OF_A_BLOCK))];
      const inRaw = { idStart: 14, idEnd: 13 + String(id).length, raw };
      const update = {
        platformId: id,
        bitmap: 1,
        bit: id % IDS_OF_A_BLOCK,
        kind: 'message',
        lane: `c:${id % lanes}`,
        ...inRaw,
      };
      const updates = [{ ...update, keepMs: 86_400_000, expiresAtMs: null, passesHold: false }];
      await scripts.acceptUpdates(commands, { ...keys, seen }, { ...args, runIds: redis.runIds(), updates });
    }
    const usec = /cmdstat_fcall:calls=(\d+),usec=(\d+)/.exec(await commands.info('commandstats'));
    if (Number(usec?.[1]) !== CALLS) throw new Error('Redis counted other calls');
    return Number(usec?.[2]) / CALLS;
  };
}
