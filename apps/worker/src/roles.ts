import { pollingTurn } from '@flotilla/domain/delivery/polling/polling-turn.ts';
import { programTurn } from '@flotilla/domain/delivery/programs/program-turn.ts';
import { pushTurn } from '@flotilla/domain/delivery/push/push-turn.ts';
import { rulesTurn } from '@flotilla/domain/delivery/routing-rules/rules-turn.ts';
import { deadLetterLog } from '@flotilla/domain/records/history/dead-letter-log.ts';
import { historyStore, historyTurn } from '@flotilla/domain/records/history/history-turn.ts';
import { historyReader } from '@flotilla/domain/records/history/stream/history-stream.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import {
  type Turn,
  type TurnOutcome,
  type TurnsHeld,
  type TurnWorker,
  turnWorker,
} from '@flotilla/redis/turn-worker.ts';
import { REQUESTS_AT_ONCE, type WorkerContext } from './context.ts';
import { pollPace } from './poll-pace.ts';
import { startUpkeep } from './upkeep/upkeep.ts';

export type Running = { stop(): Promise<void> };

/** A turn of a hanging backend holds a request, so more turns than requests are needed for the other bots. */
const PUSH_TURNS = REQUESTS_AT_ONCE + 400;
const RULES_TURNS = 200;
/** Turns without work that a worker holds, beside those that run. */
const HELD_TURNS = 12_000;
/** One turn per shard, so that all shards can gather at the same time. */
const HISTORY_TURNS = 64;

/** Starts the parts that this worker's roles name. */
export function startRoles(context: WorkerContext): Running[] {
  const { roles, pollingConcurrency } = context.config;
  const running: Running[] = [];
  const turnsHeld = { count: 0, atMost: HELD_TURNS };
  if (roles.has('upkeep')) running.push(startUpkeep(context));
  if (roles.has('polling')) {
    const pace = pollPace(context);
    const deps = { ...context, pace };
    running.push(
      pace,
      takeTurns(context, context.turns.polling, pollingConcurrency, (bot, lease) => pollingTurn(deps, bot, lease)),
    );
  }
  if (roles.has('push')) {
    running.push(
      takeTurns(context, context.turns.push, PUSH_TURNS, (bot, lease) => pushTurn(context, bot, lease), turnsHeld),
    );
    running.push(
      takeTurns(
        context,
        context.turns.programs,
        PUSH_TURNS,
        (program, lease) => programTurn(context, program, lease),
        turnsHeld,
      ),
    );
  }
  if (roles.has('rules')) {
    running.push(
      takeTurns(context, context.turns.rules, RULES_TURNS, (bot, lease) => rulesTurn(context, bot, lease), turnsHeld),
    );
  }
  if (roles.has('history')) {
    const deadLetters = deadLetterLog(context.log);
    const storeHistory = historyStore({ ...context, deadLetters }, context.config.database.maxConnections);
    const deps = { ...context, storeHistory, historyReader: historyReader(context.redis) };
    const turns = takeTurns(context, context.turns.history, HISTORY_TURNS, (shard, lease) =>
      historyTurn(deps, shard, lease),
    );
    running.push({ stop: () => turns.stop().finally(deadLetters.stop) });
  }
  return running;
}

function takeTurns(
  context: WorkerContext,
  queue: TurnQueue,
  concurrency: number,
  turn: Turn,
  turnsHeld: TurnsHeld = { count: 0, atMost: 0 },
): Running {
  const { measure, log, redis } = context;
  const turns = measure.turns(queue.kind);
  const worker: TurnWorker = turnWorker({
    redis,
    queue,
    concurrency,
    turnsHeld,
    log,
    run: async (subject, lease) => {
      let begunAtMs = turns.began();
      let next: TurnOutcome['next'] | 'crashed' = 'crashed';
      const hold = async (wait: Promise<void>) => {
        turns.held(begunAtMs);
        await lease.hold(wait);
        begunAtMs = turns.resumed();
      };
      try {
        const outcome = await turn(subject, { ...lease, hold });
        next = outcome.next;
        return outcome;
      } finally {
        turns.ended(next, begunAtMs);
      }
    },
  });
  return { stop: () => worker.close() };
}
