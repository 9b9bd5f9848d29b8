import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { STEP_ROWS, type StepDeps, takeSteps } from '../retention/take-steps.ts';
import { eraseInRedis } from './erase-in-redis.ts';
import { erasePortion } from './erase-portion.ts';
import { type Erasure, erasureStore } from './erasure-store.ts';
import { walkTables } from './walk-tables.ts';

type EraseDeps = StepDeps & {
  redis: RedisHandles;
  clock: Clock;
  log: Pick<Logger, 'info'>;
  directory: Pick<BotDirectory, 'all' | 'ready'>;
  /** After how long whatever was on its way has arrived. Default one minute. */
  lateAfterMs?: number;
};

const LATE_AFTER_MS = 60_000;

/** Has workers erase a person. Returns the number of the erasure, also of one that is in progress. */
export async function beginErasure(deps: { db: Database; clock: Clock }, by: Actor, userId: number): Promise<number> {
  return deps.db.transaction().execute(async (transaction) => {
    const erasures = erasureStore(transaction);
    const id = await erasures.add(userId, by);
    if (id === null) return (await erasures.idOf(userId)) ?? 0;
    await recordAction({ ...deps, db: transaction }, by, { action: 'person_erase', details: nameOf(id) });
    return id;
  });
}

/**
 * Erases everybody whose erasure was asked for, each at once, and once more when what was on its way has arrived. Whatever ended here
 * or elsewhere is begun again from the first place, which costs little where nothing is left.
 */
export async function continueErasures(deps: EraseDeps): Promise<void> {
  if (!deps.directory.ready()) return;
  for (const erasure of await erasureStore(deps.db).due(deps.lateAfterMs ?? LATE_AFTER_MS)) {
    // Before the pass: what the history has not written yet is written after this place was looked at.
    const hasArrived = erasure.isLate && (await isHistoryWritten(deps, erasure.created_at));
    if (!(await erasePass(deps, erasure))) return;
    const store = erasureStore(deps.db);
    const isSending = hasArrived && (await store.isSendingTo(erasure.user_id));
    if (hasArrived && !isSending) await finish(deps, erasure);
    else {
      const waitsFor = isSending ? 'the outbox' : erasure.isLate ? 'the history' : 'what is on its way';
      deps.log.info({ erasure: erasure.id, waitsFor }, 'an erasure waits; it goes on in a minute');
      await store.notePass(erasure.id);
    }
  }
}

/** Returns false if this worker ends before. Several workers take turns, like with what retention removes. */
async function erasePass(deps: EraseDeps, { id, user_id: userId }: Erasure): Promise<boolean> {
  const some = { limit: deps.stepRows ?? STEP_ROWS, mark: nameOf(id) };
  for (const bot of deps.directory.all()) await eraseInRedis(deps, bot, userId);
  for await (const portion of walkTables(deps.db, userId)) {
    const outcome = await takeSteps({ ...deps, waits: true }, async (transaction) =>
      (await erasePortion(transaction, userId, portion, some)) < some.limit ? 'done' : 'more',
    );
    if (outcome !== 'done') return false;
  }
  return true;
}

async function finish(deps: EraseDeps, { id, actor }: Erasure): Promise<void> {
  await deps.db.transaction().execute(async (transaction) => {
    if (!(await erasureStore(transaction).finish(id))) return;
    await recordAction({ ...deps, db: transaction }, actor as Actor, { action: 'person_erased', details: nameOf(id) });
  });
}

/** True if the history has written all that was accepted before a time. */
async function isHistoryWritten({ redis }: EraseDeps, before: Date): Promise<boolean> {
  for (let shard = 0; shard < SHARDS; shard += 1) {
    const [oldest] = await redis.commands.xrange(shardKeys(shard).history, '-', '+', 'COUNT', 1);
    if (oldest !== undefined && Number(oldest[0].split('-')[0]) < before.getTime()) return false;
  }
  return true;
}

/** In place of the person. */
function nameOf(erasureId: number): string {
  return `erased person ${erasureId}`;
}
