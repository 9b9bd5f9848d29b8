import type { Broadcast } from '@flotilla/contract/broadcasts.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { broadcastEntryStore } from './broadcast-entry-store.ts';
import { broadcastStore } from './broadcast-store.ts';
import { MOST_RELEASED } from './release-entries.ts';
import { type TellDeps, tellWatchers } from './tell-watchers.ts';

type ChangeDeps = TellDeps & { db: Database; clock: Clock };
type Act = 'pause' | 'resume' | 'cancel';

const FROM: Readonly<Record<Act, readonly Broadcast['state'][]>> = {
  pause: ['scheduled', 'running'],
  resume: ['paused'],
  cancel: ['scheduled', 'running', 'paused'],
};
const AUDITED = { pause: 'broadcast_pause', resume: 'broadcast_resume', cancel: 'broadcast_cancel' } as const;

/**
 * Pauses, resumes or cancels a broadcast. Once it is paused or cancelled, no entry of it is begun; workers cancel those that
 * wait. Throws 'not_found', or 'conflict' if its state does not allow it.
 */
export async function changeBroadcast(deps: ChangeDeps, by: Actor, act: Act, id: number): Promise<Broadcast> {
  const changed = await deps.db.transaction().execute(async (db) => {
    const known = await broadcastStore(db).lock(id);
    if (known === null) throw new FlotillaError('not_found', 'Broadcast not found');
    if (!FROM[act].includes(known.state)) {
      throw new FlotillaError('conflict', `A broadcast that is ${known.state} cannot be ${PAST[act]}`);
    }
    const done = { action: AUDITED[act], bot_id: known.bot_id, details: `broadcast ${id}` };
    await recordAction({ db, clock: deps.clock }, by, done);
    return apply(db, deps.clock, act, known);
  });
  await tellWatchers(deps, changed);
  return changed;
}

const PAST: Readonly<Record<Act, string>> = { pause: 'paused', resume: 'resumed', cancel: 'cancelled' };

async function apply(db: Database, clock: Clock, act: Act, known: Broadcast): Promise<Broadcast> {
  const [store, entries] = [broadcastStore(db), broadcastEntryStore(db)];
  switch (act) {
    case 'pause':
      // Resent entries are beside the released ones.
      while ((await entries.hold(known.id, MOST_RELEASED)) === MOST_RELEASED);
      return store.change(known.id, { state: 'paused' });
    case 'resume': {
      const waits = known.started_at === null && known.send_at !== null && known.send_at.getTime() > clock.nowMs();
      if (waits) return store.change(known.id, { state: 'scheduled' });
      return store.change(known.id, {
        ...{ state: 'running', started_at: known.started_at ?? new Date(clock.nowMs()), released_to: null },
      });
    }
    case 'cancel':
      await entries.cancel(known.id, MOST_RELEASED);
      return store.change(known.id, { state: 'cancelled', made: true });
  }
}
