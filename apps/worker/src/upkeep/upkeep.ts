import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { makeComingMonths, mergeSearchWords } from '@flotilla/database/month-partitions.ts';
import { continueBroadcasts } from '@flotilla/domain/delivery/broadcasts/continue-broadcasts.ts';
import { continueDeliveryJobs } from '@flotilla/domain/delivery/deliveries/run-delivery-job.ts';
import { movesUnderWay } from '@flotilla/domain/delivery/moves/continue-moves.ts';
import { tendOutbox } from '@flotilla/domain/delivery/outbox/tend-outbox.ts';
import { parkPrograms } from '@flotilla/domain/delivery/programs/park-programs.ts';
import { settleLate } from '@flotilla/domain/delivery/questions/settle-late.ts';
import { routeLinkStore } from '@flotilla/domain/delivery/routing-rules/route-link-store.ts';
import { polls } from '@flotilla/domain/fleet/bots/bot.ts';
import { latePublisher } from '@flotilla/domain/fleet/bots/publish-late-changes.ts';
import { reconcileBots } from '@flotilla/domain/fleet/bots/reconcile-bots.ts';
import { rollUpActivity } from '@flotilla/domain/records/activity/roll-up-activity.ts';
import { settleAll } from '@flotilla/domain/records/chats/settle-conversations.ts';
import { continueErasures } from '@flotilla/domain/records/personal-data/erase-person.ts';
import { gatherFigures } from '@flotilla/domain/watch/fleet-figures/gather-figures.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import type { WorkerContext } from '../context.ts';
import { startRemoval } from './removal.ts';
import { repeatWork } from './repeat-work.ts';
import { wakeForgottenTurns } from './wake-forgotten-turns.ts';
import { startEvents } from './watch-events.ts';
import { watchPlatformWebhooks } from './watch-platform-webhooks.ts';
import { watchUsernames } from './watch-usernames.ts';

const ROUND_EVERY_MS = 5_000;
const RECONCILE_EVERY_MS = 10_000;
/** A revoked token must stop working within 5 s, and a change is late when it is seen twice. */
const PUBLISH_EVERY_MS = 2_000;
const CONTINUE_JOBS_EVERY_MS = 5_000;
/** A pause between the portions of a broadcast that nobody notices. */
const CONTINUE_BROADCASTS_EVERY_MS = 500;
const SETTLE_QUESTIONS_EVERY_MS = 2_000;
const TEND_OUTBOX_EVERY_MS = 2_000;
const ERASE_EVERY_MS = 5_000;
const MOVE_EVERY_MS = 1_000;
const PARK_EVERY_MS = 20_000;
/** While memory is tight, a program that is behind stops the intake of its bot. */
const PARK_WHILE_TIGHT_EVERY_MS = 5_000;
const HOUSEKEEPING_EVERY_MS = 60_000;
const MAKE_MONTHS_EVERY_MS = 600_000;
const MERGE_WORDS_EVERY_MS = 5_000;
const LINKS_AT_ONCE = 5_000;

/** Restores what was lost: turns that should exist, pending turns that nobody took, configuration missing in Redis. */
export function startUpkeep(deps: WorkerContext): { stop(): Promise<void>; refusal(): string | null } {
  let reconciledAtMs = 0;
  let reconciledRuns = '';
  const round = async (): Promise<void> => {
    const runs = deps.redis.runIds();
    const isDue = deps.clock.nowMs() - reconciledAtMs >= RECONCILE_EVERY_MS || !deps.directory.ready();
    // A Redis that restarted may hold an older configuration, and the platform must not be told that one.
    if (isDue || runs !== reconciledRuns) {
      const mended = await reconcileBots(deps).catch((error) => {
        // Without Postgres, the configuration in Redis is enough to go on.
        if (!isUnavailable(error)) throw error;
        return 0;
      });
      deps.measure.repairs.inc({ what: 'configuration' }, mended);
      reconciledAtMs = deps.clock.nowMs();
      reconciledRuns = runs;
    }
    if (!deps.directory.ready()) return;
    const polled = deps.directory.all().filter(polls);
    await deps.turns.polling.ensure(polled.map((bot) => bot.id));
    await wakeForgottenTurns(deps);
    await gatherFigures(deps);
    await watchPlatformWebhooks(deps);
    await waitingForPostgres(rollUpActivity(deps));
  };
  const rounds = repeatWork(deps, {
    everyMs: ROUND_EVERY_MS,
    work: () => measured(deps, round),
    failure: 'a round of upkeep failed; it is tried again',
  });
  const others = [
    ...[startMonths, startDeliveryJobs, startParking, startPublishing],
    ...[startHousekeeping, startEvents, startQuestions, startBroadcasts, startOutbox, startMergingWords, startErasures],
    startMoves,
  ];
  const removal = startRemoval(deps);
  const all = [rounds, removal, ...others.map((start) => start(deps))];
  return {
    stop: async () => {
      await Promise.all(all.map((work) => work.stop()));
    },
    refusal: removal.refusal,
  };
}

/** Publishes changes whose process could not. All of the configuration is compared less often. */
function startPublishing(deps: WorkerContext): { stop(): Promise<void> } {
  const publishLate = latePublisher(deps);
  return repeatWork(deps, {
    everyMs: PUBLISH_EVERY_MS,
    work: async () => {
      const published = await publishLate().catch((error: unknown) => {
        // The rounds report a store that is away.
        if (!isUnavailable(error) && !isRedisUnavailable(error)) throw error;
        return 0;
      });
      deps.measure.repairs.inc({ what: 'configuration' }, published);
    },
    failure: 'late changes could not be published; this is tried again',
  });
}

/** Makes the partitions of the coming months ahead. Without one, its rows wait in the last partition. */
function startMonths(deps: WorkerContext): { stop(): Promise<void> } {
  return repeatWork(deps, {
    everyMs: MAKE_MONTHS_EVERY_MS,
    work: () => waitingForPostgres(makeComingMonths(deps.db, Math.floor(deps.clock.nowMs() / 1000))),
    failure: 'the partitions of the coming months could not be made; this is tried again',
  });
}

/** Without it, searches of an installation with few messages would be slower than those of a busy one. */
function startMergingWords(deps: WorkerContext): { stop(): Promise<void> } {
  return repeatWork(deps, {
    everyMs: MERGE_WORDS_EVERY_MS,
    work: () => waitingForPostgres(mergeSearchWords(deps.db)),
    failure: 'the words of new messages could not be merged into their index; this is tried again',
  });
}

/** Continues redrives and discards whose process has ended. */
function startDeliveryJobs(deps: WorkerContext): { stop(): Promise<void> } {
  return repeatWork(deps, {
    everyMs: CONTINUE_JOBS_EVERY_MS,
    work: (signal) => continueDeliveryJobs(deps, signal),
    failure: 'redrives could not be continued; this is tried again',
  });
}

/** Makes and releases the entries of broadcasts. */
function startBroadcasts(deps: WorkerContext): { stop(): Promise<void> } {
  return repeatWork(deps, {
    everyMs: CONTINUE_BROADCASTS_EVERY_MS,
    work: (signal) => waitingForPostgres(continueBroadcasts(deps, signal)),
    failure: 'broadcasts could not go on; this is tried again',
  });
}

/** Lets questions expire, and shows ends that nobody has shown. */
function startQuestions(deps: WorkerContext): { stop(): Promise<void> } {
  return repeatWork(deps, {
    everyMs: SETTLE_QUESTIONS_EVERY_MS,
    work: (signal) => waitingForPostgres(settleLate(deps, signal)),
    failure: 'questions could not be settled; this is tried again',
  });
}

/** Gives up entries of the outbox whose time is over, and finds bots whose outbox nobody sends. */
function startOutbox(deps: WorkerContext): { stop(): Promise<void> } {
  return repeatWork(deps, {
    everyMs: TEND_OUTBOX_EVERY_MS,
    work: (signal) => waitingForPostgres(tendOutbox(deps, signal)),
    failure: 'the outbox could not be tended; this is tried again',
  });
}

/** Erases people whose erasure was asked for. */
function startErasures(deps: WorkerContext): { stop(): Promise<void> } {
  return repeatWork(deps, {
    everyMs: ERASE_EVERY_MS,
    work: (signal) => waitingForPostgres(continueErasures({ ...deps, signal })),
    failure: 'data of a person could not be erased; this is tried again',
  });
}

/** Goes on with moves of bots to other servers. */
function startMoves(deps: WorkerContext): { stop(): Promise<void> } {
  const moves = movesUnderWay(deps);
  const looks = repeatWork(deps, {
    everyMs: MOVE_EVERY_MS,
    work: (signal) => waitingForPostgres(moves.look(signal)),
    failure: 'moves of bots could not go on; this is tried again',
  });
  return {
    stop: async () => {
      await looks.stop();
      await moves.ended();
    },
  };
}

/** Parks programs that stay too far behind, which may take minutes. */
function startParking(deps: WorkerContext): { stop(): Promise<void> } {
  let dueAtMs = 0;
  return repeatWork(deps, {
    everyMs: PARK_WHILE_TIGHT_EVERY_MS,
    work: async (signal) => {
      const nowMs = performance.now();
      const isTight = deps.memory.pressure() !== 'relaxed';
      if (!deps.directory.ready() || !(isTight || nowMs >= dueAtMs)) return;
      dueAtMs = nowMs + PARK_EVERY_MS - PARK_WHILE_TIGHT_EVERY_MS / 2;
      await parkPrograms(deps, deps.config.programLimit, signal);
    },
    failure: 'programs could not be checked or parked; this is tried again',
  });
}

/** Work that nobody waits for. */
function startHousekeeping(deps: WorkerContext): { stop(): Promise<void> } {
  return repeatWork(deps, {
    everyMs: HOUSEKEEPING_EVERY_MS,
    work: async (signal) => {
      await waitingForPostgres(removeExpiredLinks(deps, signal));
      await waitingForPostgres(settleAll(deps.db, signal));
      if (deps.directory.ready()) await waitingForPostgres(watchUsernames(deps, signal));
    },
    failure:
      'expired links could not be removed, conversations not be settled, or usernames not be asked for; this is tried again',
  });
}

async function measured({ measure }: WorkerContext, round: () => Promise<void>): Promise<void> {
  try {
    await round();
    measure.upkeepRounds.inc({ outcome: 'ok' });
  } catch (error) {
    measure.upkeepRounds.inc({ outcome: 'failed' });
    throw error;
  }
}

/** Removes links past their expiry. A reply to such an old routed message no longer finds its source. */
async function removeExpiredLinks({ db }: WorkerContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await routeLinkStore(db).removeExpired(LINKS_AT_ONCE)) === LINKS_AT_ONCE);
}

/** Work that fails only because Postgres is away is done in a later round. */
async function waitingForPostgres(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
  });
}
