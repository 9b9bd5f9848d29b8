import type { Logger } from '@flotilla/runtime/logger.ts';
import { type WakeDeps, wakeOutbox } from '../outbox/wake-outbox.ts';
import { type AdvanceDeps, advanceBroadcast } from './advance-broadcast.ts';
import type { Broadcast } from './broadcast.ts';
import { broadcastStore } from './broadcast-store.ts';
import { type TellDeps, tellWatchers } from './tell-watchers.ts';

type ContinueDeps = AdvanceDeps & TellDeps & WakeDeps & { log: Logger };

/** Steps of one broadcast in a row, so that the others of the fleet are not kept waiting. */
const STEPS_IN_A_ROW = 5;
const TELL_EVERY_MS = 1_000;

/**
 * Makes a function that goes on with all broadcasts, until they wait for the outbox or the signal aborts. Any worker may call it at
 * any time; a step that was interrupted is done again by the next one.
 */
export function broadcastContinuer(deps: ContinueDeps): (signal: AbortSignal) => Promise<void> {
  const told = new Map<number, { atMs: number; what: string }>();
  const tell = async (broadcast: Broadcast) => {
    const nowMs = deps.clock.nowMs();
    const what = JSON.stringify([broadcast.state, broadcast.counts]);
    const last = told.get(broadcast.id);
    if (last?.what === what || (last && nowMs - last.atMs < TELL_EVERY_MS && broadcast.endedAt === null)) return;
    if (broadcast.endedAt === null) told.set(broadcast.id, { atMs: nowMs, what });
    else told.delete(broadcast.id);
    await tellWatchers(deps, broadcast);
  };
  /** Returns whether there is more to do right away. */
  const goOn = async (id: number, signal: AbortSignal): Promise<boolean> => {
    for (let step = 0; step < STEPS_IN_A_ROW && !signal.aborted; step += 1) {
      const advanced = await advanceBroadcast(deps, id);
      if (advanced === null) return false;
      if (advanced.released > 0) await wakeOutbox(deps, advanced.broadcast.botId);
      await tell(advanced.broadcast);
      if (!advanced.more) return false;
    }
    return true;
  };
  return async (signal) => {
    await broadcastStore(deps.db).beginDue();
    let active = await broadcastStore(deps.db).active();
    for (const id of told.keys()) if (!active.includes(id)) told.delete(id);
    while (active.length > 0 && !signal.aborted) {
      const again: number[] = [];
      for (const id of active) {
        const more = await goOn(id, signal).catch((error: unknown) => {
          deps.log.warn({ broadcast: id, reason: String(error) }, 'a broadcast waits: it goes on later');
          return false;
        });
        if (more) again.push(id);
      }
      active = again;
    }
  };
}
