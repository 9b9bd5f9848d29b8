import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryJob } from '@flotilla/contract/delivery-jobs.ts';
import { lockLimit } from '@flotilla/database/lock-limit.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Exact, Scope } from '../../people/accounts/scope.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';
import { type DeadLetterQuery, deadLetterStore } from './dead-letter-store.ts';
import { deliveryJobStore, readsFilterOf } from './delivery-job-store.ts';
import { forgetRedriven } from './redrive-letters.ts';
import { NOTHING_SENT } from './sent-letters.ts';
import { type JobDeps, TAKEN_FOR_MS, takeBatch } from './take-batch.ts';

type RunDeps = JobDeps & { log: Logger };

const UNFINISHED_AT_MOST = 5;
const RETRY_AFTER_S = 10;
/** Room for others between two batches. */
const PAUSE_MS = 5;
const KEPT_MS = 7 * 86_400_000;
const OTHER_RELEASE_AGAIN_MS = 60_000;
/** An upgrade is over, or was given up. */
const OTHER_RELEASE_WITHIN_MS = 86_400_000;

/**
 * Sends again, or discards, the failed deliveries that match the query now, by bot and in the order of their updates. With an
 * `upto_id`, those that were made after somebody counted are left out. It stores the job with its first batch, and works
 * on it for `forMs`; then workers continue it, as they do when this process ends. Throws FlotillaError when nothing was
 * changed: 'too_many_requests' when the account has five unfinished jobs, 'unavailable'.
 */
export async function runDeliveryJob<Given extends DeadLetterQuery>(
  deps: RunDeps,
  by: Actor,
  { action, scope, query }: { action: DeliveryJob['action']; scope: Scope; query: Exact<DeadLetterQuery, Given> },
  forMs: number,
): Promise<DeliveryJob> {
  const untilMs = performance.now() + forMs;
  const accountId = by.kind === 'account' ? by.accountId : null;
  const first = await batchOf(deps, async (transaction) => {
    await requireAuditable(transaction.db);
    const [letters, jobs] = [deadLetterStore(transaction.db), deliveryJobStore(transaction.db)];
    if (accountId !== null) {
      await lockLimit(transaction.db, 'delivery jobs', accountId);
      if ((await jobs.unfinishedOf(accountId)) >= UNFINISHED_AT_MOST) throw tooMany();
    }
    const { upto_id: countedUpTo = Number.POSITIVE_INFINITY, ...filter } = query;
    const upto_id = Math.min(countedUpTo, await letters.newestId());
    return jobs.add({
      action,
      bot_ids: scope.bots === 'all' ? null : JSON.stringify([...scope.bots]),
      filter: JSON.stringify(filter),
      actor: JSON.stringify(by),
      account_id: accountId,
      upto_id,
      matched: await letters.count(scope, { ...query, upto_id }),
      sent: action === 'redrive' ? NOTHING_SENT : null,
      resume_at: new Date(deps.clock.nowMs() + TAKEN_FOR_MS),
    });
  });
  return goOn(deps, first, () => performance.now() < untilMs);
}

/** Continues the jobs whose process has ended or has no more time, until each is finished or the signal aborts. */
export async function continueDeliveryJobs(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const jobs = deliveryJobStore(deps.db);
  const nowMs = deps.clock.nowMs();
  for (const id of await jobs.takeDue(new Date(nowMs), new Date(nowMs + TAKEN_FOR_MS))) {
    const job = await jobs.find(id);
    if (job === undefined || signal.aborted) continue;
    if (readsFilterOf(job)) await goOn(deps, job, () => !signal.aborted);
    else await leaveToItsRelease(deps, job);
  }
  await jobs.removeFinished(new Date(nowMs - KEPT_MS));
}

/** A later release, of which workers may run, has conditions that are not known here. After a day the job ends, and its letters stay. */
async function leaveToItsRelease({ db, clock, log }: RunDeps, job: DeliveryJob): Promise<void> {
  const { id, action, done, matched } = job;
  const nowMs = clock.nowMs();
  const isOver = nowMs - job.created_at.getTime() >= OTHER_RELEASE_WITHIN_MS;
  await deliveryJobStore(db).change(
    id,
    isOver
      ? { finished_at: new Date(nowMs), refused: matched - done }
      : { resume_at: new Date(nowMs + OTHER_RELEASE_AGAIN_MS) },
  );
  const what = isOver ? 'was ended, and its failed deliveries stay' : 'waits for that release';
  log.warn({ job: id, action, done, matched }, `a job with the filter of a later release ${what}`);
}

/** A failure ends this attempt only: a worker tries again some seconds later. */
async function goOn(deps: RunDeps, begun: DeliveryJob, mayGoOn: () => boolean): Promise<DeliveryJob> {
  let job = begun;
  try {
    while (job.finished_at === null && mayGoOn()) {
      await delay(PAUSE_MS);
      job = await batchOf(deps, ({ db }) => deliveryJobStore(db).lock(job.id));
    }
    if (job.finished_at !== null) return job;
    return await deliveryJobStore(deps.db).change(job.id, { resume_at: new Date(deps.clock.nowMs()) });
  } catch (error) {
    const { id, action, done, matched } = job;
    deps.log.warn(
      { job: id, action, done, matched, reason: String(error) },
      'failed deliveries wait: their job goes on later',
    );
    return job;
  }
}

/** One transaction: finds the job, or makes it, and handles its next batch. */
async function batchOf(deps: RunDeps, find: (deps: RunDeps) => Promise<DeliveryJob>): Promise<DeliveryJob> {
  const { job, sent } = await deps.db.transaction().execute(async (db) => {
    const found = await find({ ...deps, db });
    return found.finished_at === null ? takeBatch({ ...deps, db }, found) : { job: found, sent: [] };
  });
  const [first] = sent;
  if (first !== undefined) await forgetRedriven(deps, first.bot_id, sent);
  return job;
}

function tooMany(): FlotillaError {
  const sentence = 'Five of your redrives and discards are not finished yet; wait for one of them';
  return new FlotillaError('too_many_requests', sentence, { retryAfterS: RETRY_AFTER_S });
}
