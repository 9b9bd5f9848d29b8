import type { BroadcastState } from '@flotilla/contract/broadcasts.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { type WakeDeps, wakeOutbox } from '../outbox/wake-outbox.ts';
import { type AdvanceDeps, advanceBroadcast } from './advance-broadcast.ts';
import { broadcastEntryStore } from './broadcast-entry-store.ts';
import { broadcastStore } from './broadcast-store.ts';
import { type TellDeps, tellWatchers } from './tell-watchers.ts';

type ContinueDeps = AdvanceDeps & TellDeps & WakeDeps & { log: Logger };

const HELD_AT_ONCE = 1_000;
/** Steps of one broadcast in a row, so that the others of the fleet are not kept waiting. */
const STEPS_IN_A_ROW = 5;
/** In these states there is something to do. */
const IN_WORK: readonly BroadcastState[] = ['running', 'cancelled'];

/**
 * Goes on with all broadcasts, until they wait for the outbox or the signal aborts. Any worker may call it at any time; a step that
 * was interrupted is done again by the next one.
 */
export async function continueBroadcasts(deps: ContinueDeps, signal: AbortSignal): Promise<void> {
  const unfinished = await broadcastStore(deps.db).unfinished();
  if (unfinished.some(({ isDue }) => isDue)) await broadcastStore(deps.db).beginDue();
  if (unfinished.some(({ state }) => state === 'paused')) await broadcastEntryStore(deps.db).holdOfPaused(HELD_AT_ONCE);
  let active = unfinished.filter(({ state, isDue }) => isDue || IN_WORK.includes(state)).map(({ id }) => id);
  while (active.length > 0 && !signal.aborted) {
    const again: number[] = [];
    for (const id of active) {
      const more = await takeSteps(deps, id, signal).catch((error: unknown) => {
        deps.log.warn({ broadcast: id, reason: String(error) }, 'a broadcast waits: it goes on later');
        return false;
      });
      if (more) again.push(id);
    }
    active = again;
  }
}

/** Returns whether there is more to do right away. */
async function takeSteps(deps: ContinueDeps, id: number, signal: AbortSignal): Promise<boolean> {
  for (let step = 0; step < STEPS_IN_A_ROW && !signal.aborted; step += 1) {
    const advanced = await advanceBroadcast(deps, id);
    if (advanced === null) return false;
    if (advanced.released > 0) await wakeOutbox(deps, advanced.broadcast.bot_id);
    if (advanced.isNews) await tellWatchers(deps, advanced.broadcast);
    if (!advanced.more) return false;
  }
  return true;
}
