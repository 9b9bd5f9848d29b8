import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { followDirectory } from '@flotilla/domain/fleet/bots/follow-directory.ts';
import { reconcileBots } from '@flotilla/domain/fleet/bots/reconcile-bots.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { type TurnQueue, turnQueue } from '@flotilla/redis/turn-queue.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { FLEET_ENCRYPTION_KEY, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { insertManyBots } from '@flotilla/testing/many-bots.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { type Cost, cpuMeter } from './cpu-meter.ts';
import { startLagSink } from './lag-sink.ts';
import { perSecond, ratio, report } from './report.ts';

const MANY = 10_000;
const FEW = 10;
const UPDATES = 10_000;
const BATCH = 200;
/** Two cores carry this with room to spare: then a worker holds the turns of bots that get an update every 20 s. */
const STEADY_PER_SECOND = 500;
/** No bot has an id this high. */
const NO_BOTS_FROM = 1_000_000;
/** Rounds of each kind run alternately, so that other load of the machine affects both kinds alike. */
const ROUNDS = 3;

/** The cost of being one bot of many, and the cost of a dead backend to the others. Updates are appended directly. */
export async function benchFleet(database: { url: string }): Promise<void> {
  const fleet = await startFleet(
    { apis: 0, workers: 1 },
    { WORKER_ROLES: 'push,history,upkeep', LOG_LEVEL: 'error' },
    database,
  );
  const log = createLogger({ name: 'bench', level: 'error' });
  const db = connectDatabase({ url: database.url, maxConnections: 2 });
  const redis = await connectRedis({ url: fleet.redis.url, log });
  const secrets = secretBox(FLEET_ENCRYPTION_KEY);
  const sink = await startLagSink();
  const turns = {
    push: turnQueue(redis, 'push'),
    programs: turnQueue(redis, 'programs'),
    rules: turnQueue(redis, 'rules'),
    history: turnQueue(redis, 'history'),
  };
  const directory = await followDirectory({ redis, secrets, log });
  let nextId = 1;
  const accept = (bot: Bot) => acceptUpdates({ redis, turns }, bot, oneUpdate(nextId++));
  /** Appends one update at a time to these bots in rotation, at a rate or as fast as it goes. Returns the deliveries per second. */
  const deliver = async (bots: Bot[], wanted: number, rate?: number): Promise<number> => {
    sink.reset();
    const begunAt = performance.now();
    const due = () => (rate === undefined ? UPDATES : ((performance.now() - begunAt) * rate) / 1000);
    const accepting: Promise<unknown>[] = [];
    for (let at = 0; at < UPDATES; at += 1) {
      accepting.push(accept(bots[at % bots.length]!));
      if (rate === undefined && accepting.length === BATCH) await Promise.all(accepting.splice(0));
      while (at + 1 > due()) await sleep(1);
    }
    await Promise.all(accepting);
    await waitFor(() => sink.count() >= wanted, { timeoutMs: 120_000, message: `${wanted} updates` });
    return (wanted * 1000) / (performance.now() - begunAt);
  };
  try {
    // The first bot's backend has a host of its own, because failures of a backend count against all bots of its host.
    await insertManyBots(db, MANY, (bot) => `http://127.0.0.${bot === 1 ? 2 : 1}:${sink.port}`);
    await reconcileBots({ db, redis, secrets, directory, turns, clock: systemClock, log });
    const bots = directory.all();
    const few = bots.toSorted((one, other) => one.telegram_id - other.telegram_id).slice(0, FEW);
    const cpu = cpuMeter(fleet.workers[0]!.pid, redis);
    await cpu.perUpdate(UPDATES, () => deliver(few, UPDATES));
    // The first update of a quiet bot needs a turn; the worker then holds it for the next ones.
    const costOfQuiet = await cpu.perUpdate(UPDATES, () => deliver(bots, UPDATES));
    const compare = async (rate?: number) => {
      const rounds: { few: Cost; many: Cost }[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        rounds.push({
          few: await cpu.perUpdate(UPDATES, () => deliver(few, UPDATES, rate)),
          many: await cpu.perUpdate(UPDATES, () => deliver(bots, UPDATES, rate)),
        });
      }
      return { few: middle(rounds.map((round) => round.few)), many: middle(rounds.map((round) => round.many)) };
    };
    const fast = await compare();
    await deliver(bots, UPDATES, STEADY_PER_SECOND);
    const steady = await compare(STEADY_PER_SECOND);
    const emptyTurn = await cpu.perUpdate(UPDATES, () => runEmptyTurns(turns.push));
    const byFew = fast.few.perSecond;
    sink.hang(new URL(few[0]!.backend_url).pathname);
    const beside = await deliver(few, (UPDATES * (FEW - 1)) / FEW);
    report('A fleet, one worker, one update per append', [
      { what: `${FEW} bots, ${STEADY_PER_SECOND} updates a second`, figure: inWords(steady.few) },
      { what: `${MANY} bots, ${STEADY_PER_SECOND} updates a second`, figure: inWords(steady.many) },
      {
        what: 'cost per update of the many, worker and Redis together',
        figure: `${ratio(total(steady.many) / total(steady.few))} of that of the few`,
        target: '≤ 1.5',
      },
      { what: `${FEW} bots, as fast as it goes`, figure: inWords(fast.few) },
      {
        what: `${MANY} bots, as fast as it goes`,
        figure: `${inWords(fast.many)}; ${ratio(total(fast.many) / total(fast.few))} of that of the few`,
      },
      {
        what: `${MANY} bots that were quiet for minutes, as fast as it goes`,
        figure: `${inWords(costOfQuiet)}; ${ratio(total(costOfQuiet) / total(fast.few))} of that of the few`,
      },
      {
        what: 'a turn that finds nothing to do, for comparison',
        figure: inWords(emptyTurn),
      },
      {
        what: `${FEW} bots, 1 backend hangs: the others`,
        figure: `${perSecond(beside)}, ${ratio(beside / (byFew * 0.9))} of their share`,
      },
    ]);
  } finally {
    await sink.stop();
    directory.close();
    await Promise.all(Object.values(turns).map((queue) => queue.close()));
    await redis.close();
    await db.destroy();
    await fleet.stop();
  }
}

const total = (cost: Cost): number => cost.workerUs + cost.redisUs;
const inWords = (cost: Cost): string =>
  `${perSecond(cost.perSecond)}; CPU per update: worker ${Math.round(cost.workerUs)} µs, Redis ${Math.round(cost.redisUs)} µs`;

/** Runs turns of bots that do not exist, to measure what BullMQ takes for a turn without any work. */
async function runEmptyTurns(queue: TurnQueue): Promise<number> {
  const begunAt = performance.now();
  const { active: held = 0 } = await queue.counts();
  for (let from = 0; from < UPDATES; from += BATCH) {
    await Promise.all(Array.from({ length: BATCH }, (_, at) => queue.wake(NO_BOTS_FROM + from + at)));
  }
  const haveEnded = async () => {
    const { active = 0, waiting = 0, delayed = 0 } = await queue.counts();
    return active <= held && waiting + delayed === 0;
  };
  await waitFor(haveEnded, { timeoutMs: 120_000, message: 'the end of all turns' });
  return (UPDATES * 1000) / (performance.now() - begunAt);
}

/** The round of median cost. */
function middle(rounds: Cost[]): Cost {
  return rounds.toSorted((left, right) => total(left) - total(right))[Math.floor(rounds.length / 2)]!;
}

function oneUpdate(id: number) {
  const date = Math.floor(Date.now() / 1000);
  const raw = `{"update_id":${id},\n"message":{"message_id":${id},"date":${date},"chat":{"id":${id % 50},"type":"private"},"text":"hello"}}`;
  return sliceUpdates(`{"ok":true,"result":[${raw}]}`)!.updates;
}
