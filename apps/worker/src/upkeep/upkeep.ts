import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { rollUpActivity } from '@flotilla/domain/activity/roll-up-activity.ts';
import { polls } from '@flotilla/domain/bots/bot.ts';
import { botStore } from '@flotilla/domain/bots/bot-store.ts';
import { reconcileBots } from '@flotilla/domain/bots/reconcile-bots.ts';
import { gatherFigures } from '@flotilla/domain/fleet-figures/gather-figures.ts';
import { routeLinkStore } from '@flotilla/domain/routing-rules/route-link-store.ts';
import { SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import type { WorkerContext } from '../context.ts';
import { startDeliveryJobs } from './delivery-jobs.ts';
import { fleetMetrics } from './fleet-metrics.ts';
import { startProgramParking } from './program-parking.ts';
import { startRemoval } from './removal.ts';
import { watchPlatformWebhooks } from './watch-platform-webhooks.ts';

const ROUND_EVERY_MS = 5_000;
const RECONCILE_EVERY_MS = 10_000;
const FORGOTTEN_AFTER_MS = 5_000;
const LINKS_AT_ONCE = 5_000;
const PENDING_KINDS = ['push', 'programs', 'rules', 'history'] as const;
type PendingKind = (typeof PENDING_KINDS)[number];

/** Restores what was lost: turns that should exist, pending turns that nobody took, configuration missing in Redis. */
export function startUpkeep(deps: WorkerContext): { stop(): Promise<void> } {
  let reconciledAtMs = 0;
  let reconciledRuns = '';
  let running: Promise<void> = Promise.resolve();
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
      deps.measure.repairs.configuration.inc(mended);
      reconciledAtMs = deps.clock.nowMs();
      reconciledRuns = runs;
    }
    if (!deps.directory.ready()) return;
    const polled = deps.directory.all().filter(polls);
    await deps.turns.polling.ensure(polled.map((bot) => bot.id));
    await wakeForgotten(deps);
    await waitingForPostgres(removeExpiredLinks(deps));
    await gatherFigures(deps);
    await watchPlatformWebhooks(deps);
    await waitingForPostgres(rollUpActivity(deps));
  };
  const runRound = () => {
    running = running.then(() => measured(deps, round));
  };
  runRound();
  void warnOfLegacy(deps);
  const timer = setInterval(runRound, ROUND_EVERY_MS);
  const removal = startRemoval(deps);
  const deliveryJobs = startDeliveryJobs(deps);
  const parking = startProgramParking(deps);
  fleetMetrics(deps);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all([running, removal.stop(), deliveryJobs.stop(), parking.stop()]);
    },
  };
}

/** Only the operator knows when no process of the previous release is left. */
async function warnOfLegacy({ db, log }: WorkerContext): Promise<void> {
  const form = await botStore(db)
    .sealedForm()
    .catch(() => null);
  if (form !== 'legacy') return;
  log.warn('bots are sealed in the form of the previous release: run rotate-keys once no process of that release runs');
}

async function measured({ measure, log }: WorkerContext, round: () => Promise<void>): Promise<void> {
  const begunAtMs = performance.now();
  try {
    await round();
    measure.upkeepRounds.ok.inc();
  } catch (error) {
    measure.upkeepRounds.failed.inc();
    log.warn({ reason: String(error) }, 'a round of upkeep failed; it is tried again');
  }
  measure.upkeepSeconds.observe((performance.now() - begunAtMs) / 1000);
}

/** Removes links past their expiry. A reply to such an old routed message no longer finds its source. */
async function removeExpiredLinks(deps: WorkerContext): Promise<void> {
  await routeLinkStore(deps.db).removeExpired(LINKS_AT_ONCE);
}

/** What only Postgres is missing for is done in a later round. */
async function waitingForPostgres(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
  });
}

/** A pending turn that stays means that a wake was lost with its process. */
async function wakeForgotten(deps: WorkerContext): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const forgotten: Record<PendingKind, number[]> = { push: [], programs: [], rules: [], history: [] };
  const shards = Array.from({ length: SHARDS }, (_, shard) => shardKeys(shard).pendingTurns);
  const found = await deps.redis.runMany(shards.map((pendingTurns) => ['zrange', pendingTurns, 0, -1, 'WITHSCORES']));
  for (const [shard, pending] of (found as string[][]).entries()) {
    for (let at = 0; at < pending.length; at += 2) {
      const sinceMs = Number(pending[at + 1]);
      if (nowMs - sinceMs < FORGOTTEN_AFTER_MS) continue;
      const { kind, subject } = turnOf(pending[at]!, shard);
      forgotten[kind].push(subject);
    }
  }
  for (const kind of PENDING_KINDS) {
    deps.measure.lateMarks.set({ kind }, forgotten[kind].length);
    await deps.turns[kind].ensure(forgotten[kind]);
  }
}

/** A pending turn is `<bot id>:<kind>`, `<bot id>:program:<id>`, or `history` for the shard's. */
function turnOf(pending: string, shard: number): { kind: PendingKind; subject: number } {
  if (pending === 'history') return { kind: 'history', subject: shard };
  const [botId, kind, programId] = pending.split(':');
  if (kind === 'program') return { kind: 'programs', subject: Number(programId) };
  return { kind: kind === 'rules' ? 'rules' : 'push', subject: Number(botId) };
}
