import { outboxTurn } from '@flotilla/domain/delivery/outbox/outbox-turn.ts';
import { pollingTurn } from '@flotilla/domain/delivery/polling/polling-turn.ts';
import { programTurn } from '@flotilla/domain/delivery/programs/program-turn.ts';
import { pushTurn } from '@flotilla/domain/delivery/push/push-turn.ts';
import { ASKED_AT_ONCE } from '@flotilla/domain/delivery/router/router.ts';
import { rulesTurn } from '@flotilla/domain/delivery/routing-rules/rules-turn.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { deadLetterLog } from '@flotilla/domain/records/history/dead-letter-log.ts';
import { historyStore, historyTurn } from '@flotilla/domain/records/history/history-turn.ts';
import { historyReader } from '@flotilla/domain/records/history/stream/history-stream.ts';
import { SHARDS, shardOf } from '@flotilla/redis/keys.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import { type Turn, type TurnOutcome, type TurnsHeld, turnWorker } from '@flotilla/redis/turn-worker.ts';
import { REQUESTS_AT_ONCE, type WorkerContext } from './context.ts';
import { pollPace } from './poll-pace.ts';
import { startUpkeep } from './upkeep/upkeep.ts';

export type Running = {
  stop(): Promise<void>;
  /** Why it does not do all of its work now; null if it does. */
  refusal?(): string | null;
};

/** A turn of a hanging backend holds a request, so more turns than requests are needed for the other bots. */
const PUSH_TURNS = REQUESTS_AT_ONCE + 400;
/** A turn that waits for the model of the router holds a question, so here, too. */
const RULES_TURNS = ASKED_AT_ONCE + 200;
/** Bots whose outbox one worker sends at once; a turn mostly waits for its pace. */
const OUTBOX_TURNS = 500;
/** Turns without work that a worker holds, beside those that run. */
const HELD_TURNS = 12_000;

/** Starts the parts that this worker's roles name. */
export function startRoles(context: WorkerContext): Running[] {
  const { roles, pollingConcurrency } = context.config;
  const { turns } = context;
  const running: Running[] = [];
  const turnsHeld = { count: 0, atMost: HELD_TURNS };
  const take = (taken: TakenTurns) => running.push(takeTurns(context, taken));
  if (roles.has('upkeep')) running.push(startUpkeep(context));
  if (roles.has('polling')) {
    const pace = pollPace(context);
    running.push(pace);
    const deps = { ...context, pace };
    take({ queue: turns.polling, concurrency: pollingConcurrency, run: (bot, lease) => pollingTurn(deps, bot, lease) });
  }
  if (roles.has('push')) {
    const pushing = { concurrency: PUSH_TURNS, turnsHeld };
    take({ ...pushing, queue: turns.push, run: (bot, lease) => pushTurn(context, bot, lease) });
    take({
      ...pushing,
      queue: turns.programs,
      subjectsOf: ({ programs }) => programs.map(({ id }) => id),
      run: (program, lease) => programTurn(context, program, lease),
    });
  }
  if (roles.has('rules')) {
    const run: Turn = (bot, lease) => rulesTurn(context, bot, lease);
    take({ queue: turns.rules, concurrency: RULES_TURNS, turnsHeld, run });
  }
  if (roles.has('outbox')) {
    const run: Turn = (bot, lease) => outboxTurn(context, bot, lease);
    take({ queue: turns.outbox, concurrency: OUTBOX_TURNS, run });
  }
  if (roles.has('history')) {
    const deadLetters = deadLetterLog(context.log);
    const storeHistory = historyStore({ ...context, deadLetters }, context.config.database.maxConnections);
    const deps = { ...context, storeHistory, historyReader: historyReader(context.redis) };
    const taken = takeTurns(context, {
      queue: turns.history,
      concurrency: SHARDS,
      subjectsOf: ({ id }) => [shardOf(id)],
      run: (shard, lease) => historyTurn(deps, shard, lease),
    });
    running.push({ stop: () => taken.stop().finally(deadLetters.stop) });
  }
  return running;
}

type TakenTurns = {
  queue: TurnQueue;
  concurrency: number;
  turnsHeld?: TurnsHeld;
  /** Whose turns a bot may need; the bot's own unless given. */
  subjectsOf?: (bot: Bot) => number[];
  run: Turn;
};

function takeTurns(context: WorkerContext, { subjectsOf = ({ id }) => [id], ...taken }: TakenTurns): Running {
  const { measure, log, redis, directory } = context;
  const turns = measure.turns(taken.queue.kind);
  const run: Turn = async (subject, lease) => {
    let begunAtMs = turns.began();
    let next: TurnOutcome['next'] | 'crashed' = 'crashed';
    const hold = async (wait: Promise<void>) => {
      turns.held(begunAtMs);
      await lease.hold(wait);
      begunAtMs = turns.resumed();
    };
    try {
      const outcome = await taken.run(subject, { ...lease, hold });
      next = outcome.next;
      return outcome;
    } finally {
      turns.ended(next, begunAtMs);
    }
  };
  const worker = turnWorker({ ...taken, redis, log, run });
  const serve = (bots: Bot[]) => worker.serve(bots.flatMap(subjectsOf));
  const stopListening = directory.onChange((id) => {
    const bot = directory.ready() ? directory.byId(id) : undefined;
    if (bot) serve([bot]);
  });
  if (directory.ready()) serve(directory.all());
  return {
    stop: () => {
      stopListening();
      return worker.close();
    },
  };
}
