import { setTimeout as delay } from 'node:timers/promises';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys, SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import type { KeyCommand } from '@flotilla/redis/redis-commands.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';

type Deps = { redis: RedisHandles };

const LOOK_AGAIN_MS = 200;
const PAGE = 200;

/**
 * True if updates about a person from before a time (ms) wait for readers that make dead letters, lines of journals or sends of them.
 * Who polls for the bot itself makes none.
 */
export async function hasWaitingUpdates(
  { redis }: Deps,
  bots: Iterable<Bot>,
  userId: number,
  beforeMs: number,
): Promise<boolean> {
  const isOfPerson = new RegExp(`\\b${userId}\\b`);
  for (const bot of bots) {
    if (await isHeldBack({ redis }, bot, isOfPerson, beforeMs)) return true;
    const fromMs = await waitingSince({ redis }, bot);
    if (fromMs === null || fromMs > beforeMs) continue;
    if (await isInLog({ redis }, bot, isOfPerson, { fromMs, beforeMs })) return true;
    if (await isRedriven({ redis }, bot, isOfPerson)) return true;
  }
  return false;
}

/** When the oldest update that waits for one of them was accepted; null if none waits. One that is sent again counts as the oldest. */
async function waitingSince({ redis }: Deps, bot: Bot): Promise<number | null> {
  const keys = botKeys(bot.id);
  const found = await scripts.readReaders(redis.commands, keys, {
    ...registrationOf(bot),
    lanePrefix: keys.lane(''),
    rulesLanePrefix: keys.rulesLane(''),
    programPrefix: keys.programPrefix,
  });
  if (found.outcome !== 'OK') return null;
  const makesRows = ({ inFlight, program }: (typeof found.readers)[number]) => inFlight !== null || program !== null;
  const waiting = found.readers.filter((reader) => reader.behind > 0 && makesRows(reader));
  return waiting.length === 0 ? null : Math.min(...waiting.map(({ oldestAtMs }) => oldestAtMs ?? 0));
}

async function isInLog(
  { redis }: Deps,
  bot: Bot,
  isOfPerson: RegExp,
  { fromMs, beforeMs }: { fromMs: number; beforeMs: number },
): Promise<boolean> {
  for (let from = '-'; ; ) {
    const page = await redis.commands.xrange(botKeys(bot.id).log, from, '+', 'COUNT', PAGE);
    for (const [id, fields] of page) {
      const field = (name: string) => fields[fields.indexOf(name) + 1] ?? '';
      const atMs = Number(field('t'));
      if (atMs > beforeMs) return false;
      if (atMs >= fromMs && isOfPerson.test(field('u'))) return true;
      from = `(${id}`;
    }
    if (page.length < PAGE) return false;
  }
}

async function isRedriven({ redis }: Deps, bot: Bot, isOfPerson: RegExp): Promise<boolean> {
  const { redriven, rulesRedriven } = botKeys(bot.id);
  const ofPrograms = bot.programs.map(({ id }) => programKeys(bot.id, id).redriven);
  for (const key of [redriven, rulesRedriven, ...ofPrograms]) {
    if ((await redis.commands.hvals(key)).some((entry) => isOfPerson.test(entry))) return true;
  }
  return false;
}

/** Looks at what takeovers hold back, which is delivered when they end. Its age is that of its messages. */
async function isHeldBack({ redis }: Deps, bot: Bot, isOfPerson: RegExp, beforeMs: number): Promise<boolean> {
  for (let from = '-'; ; ) {
    const page = await redis.commands.zrangebylex(botKeys(bot.id).missed, from, '+', 'LIMIT', 0, PAGE);
    if (page.some((member) => isOfPerson.test(member) && dateIn(member) * 1000 <= beforeMs)) return true;
    if (page.length < PAGE) return false;
    from = `(${page.at(-1)}`;
  }
}

/** The earliest date in an update (s), 0 without one. */
function dateIn(raw: string): number {
  const dates = [...raw.matchAll(/"date":\s*(\d+)/g)].map(([, date]) => Number(date));
  return dates.length === 0 ? 0 : Math.min(...dates);
}

/** True if the history has written, within some time, all that it has now in all shards. False also when the signal is aborted. */
export async function isHistoryWritten({ redis }: Deps, withinMs: number, signal: AbortSignal): Promise<boolean> {
  const untilMs = performance.now() + withinMs;
  const histories = Array.from({ length: SHARDS }, (_, shard) => shardKeys(shard).history);
  const newest = await redis.runMany(histories.map((key): KeyCommand => ['xrevrange', key, '+', '-', 'COUNT', 1]));
  let waiting = histories.flatMap((key, at) => {
    const [entry] = newest[at] as [id: string, fields: string[]][];
    return entry === undefined ? [] : [{ key, id: entry[0] }];
  });
  for (;;) {
    const oldest = await redis.runMany(waiting.map(({ key, id }): KeyCommand => ['xrange', key, '-', id, 'COUNT', 1]));
    waiting = waiting.filter((_, at) => (oldest[at] as unknown[]).length > 0);
    if (waiting.length === 0) return true;
    if (signal.aborted || performance.now() >= untilMs) return false;
    await delay(LOOK_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}
