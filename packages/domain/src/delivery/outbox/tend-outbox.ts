import type { Database } from '@flotilla/database/connect.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import { outboxUpkeepStore } from './upkeep-store.ts';

type TendDeps = { db: Database; turns: { outbox: TurnQueue } };

const EXPIRED_AT_ONCE = 1_000;
/** What waits longer for no reason has lost its wake, or its worker. */
const LATE_MS = 10_000;

/** Gives up entries whose time is over, and wakes the outbox of bots that should be sending. */
export async function tendOutbox({ db, turns }: TendDeps, signal: AbortSignal): Promise<void> {
  const store = outboxUpkeepStore(db);
  while (!signal.aborted && (await store.expire(EXPIRED_AT_ONCE)) === EXPIRED_AT_ONCE);
  const late = await store.lateBots(LATE_MS);
  if (late.length > 0) await turns.outbox.wakeAll(late);
}
