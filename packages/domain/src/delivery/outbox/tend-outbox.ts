import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import { type HeldDeps, noteHeld } from './note-held.ts';
import { outboxUpkeepStore } from './upkeep-store.ts';

type TendDeps = HeldDeps & { turns: { outbox: TurnQueue } };

const EXPIRED_AT_ONCE = 1_000;
/** An entry that waits longer for no reason has lost its wake, or its worker. */
const LATE_MS = 10_000;
/** Longer than any request takes. */
const STOPPED_MS = 60_000;
const HELD_EVERY_MS = 10_000;

/** Gives up entries whose time is over or whose bot was switched off meanwhile, wakes the outbox of bots that should be sending, and counts what is held. */
export async function tendOutbox(deps: TendDeps, signal: AbortSignal): Promise<void> {
  const { db, turns } = deps;
  const store = outboxUpkeepStore(db);
  while (!signal.aborted && (await store.expire(EXPIRED_AT_ONCE)) === EXPIRED_AT_ONCE);
  await store.doubtStopped(STOPPED_MS);
  const late = await store.lateBots(LATE_MS);
  if (late.length > 0) await turns.outbox.wakeAll(late);
  await noteHeld(deps, HELD_EVERY_MS);
}
