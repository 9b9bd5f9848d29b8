import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { STEP_ROWS, type StepDeps, takeSteps } from '../retention/take-steps.ts';
import { eraseInRedis } from './erase-in-redis.ts';
import { erasePortion } from './erase-portion.ts';
import { type Erasure, erasureStore } from './erasure-store.ts';
import { hasWaitingUpdates, isHistoryWritten } from './late-updates.ts';
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
const HISTORY_WITHIN_MS = 10_000;
const CLAIMS_A_PAUSE = 4;
const SHORTEST_CLAIM_MS = 250;

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
 * Erases everybody whose erasure was asked for, each at once, and once more when what was on its way has arrived. One worker does it.
 * Whatever ended here or elsewhere is begun again from the first place, which costs little where nothing is left.
 */
export async function continueErasures(deps: EraseDeps): Promise<void> {
  if (!deps.directory.ready()) return;
  const lateAfterMs = deps.lateAfterMs ?? LATE_AFTER_MS;
  const store = erasureStore(deps.db);
  for (const erasure of await store.due(lateAfterMs)) {
    if (!(await store.claim(erasure))) continue;
    // A look may take longer than the pause, and others must not begin it again.
    const everyMs = Math.max(SHORTEST_CLAIM_MS, lateAfterMs / CLAIMS_A_PAUSE);
    const claiming = setInterval(() => void store.notePass(erasure.id).catch(() => undefined), everyMs);
    try {
      if (!(await look(deps, erasure, lateAfterMs))) return;
    } finally {
      clearInterval(claiming);
    }
  }
}

/** Returns false if this worker ends before. */
async function look(deps: EraseDeps, erasure: Erasure, lateAfterMs: number): Promise<boolean> {
  const store = erasureStore(deps.db);
  // Before the pass, and the readers before the history: it writes what becomes of their updates.
  const waitsFor = erasure.isLate ? await whatWaits(deps, erasure, lateAfterMs) : 'what is on its way';
  if (!(await erasePass(deps, erasure))) return false;
  const isSending = waitsFor === null && (await store.isSendingTo(erasure.user_id));
  if (waitsFor === null && !isSending) await finish(deps, erasure);
  else {
    deps.log.info({ erasure: erasure.id, waitsFor: waitsFor ?? 'the outbox' }, 'an erasure waits, and goes on later');
    await store.notePass(erasure.id);
  }
  return true;
}

/** Data that may still become rows about the person; null if there is none. */
async function whatWaits(deps: EraseDeps, erasure: Erasure, lateAfterMs: number): Promise<string | null> {
  const { user_id, created_at } = erasure;
  if (await hasWaitingUpdates(deps, deps.directory.all(), user_id, created_at.getTime())) return 'updates that wait';
  return (await isHistoryWritten(deps, Math.min(HISTORY_WITHIN_MS, lateAfterMs), deps.signal)) ? null : 'the history';
}

/** Returns false if this worker ends before. Several workers take turns, like with what retention removes. */
async function erasePass(deps: EraseDeps, { id, user_id }: Erasure): Promise<boolean> {
  const some = { limit: deps.stepRows ?? STEP_ROWS, mark: nameOf(id) };
  for (const bot of deps.directory.all()) await eraseInRedis(deps, bot, user_id);
  for await (const portion of walkTables(deps.db, user_id)) {
    const outcome = await takeSteps({ ...deps, waits: true }, async (transaction) =>
      (await erasePortion(transaction, user_id, portion, some)) < some.limit ? 'done' : 'more',
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

/** In place of the person. */
function nameOf(erasureId: number): string {
  return `erased person ${erasureId}`;
}
