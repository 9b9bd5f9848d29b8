import type { Broadcast } from '@flotilla/contract/broadcasts.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { describeChanges } from '../../people/audit/describe-changes.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { callActor } from '../../records/history/stream/captured-call.ts';
import { type BroadcastRights, readBroadcast } from './add-broadcast.ts';
import type { BroadcastContent } from './broadcast.ts';
import { broadcastStore } from './broadcast-store.ts';
import { type TellDeps, tellWatchers } from './tell-watchers.ts';

type UpdateDeps = TellDeps & { db: Database; clock: Clock };
export type BroadcastChanges = Partial<
  Pick<BroadcastContent, 'name' | 'audience' | 'method' | 'params' | 'per_second' | 'send_at'>
>;

/**
 * Changes a broadcast that has not begun; `check` refuses what the change would meet. It goes out by the right of the account that changed it last. Throws 'not_found',
 * 'conflict' if it has begun or ended, or 'bad_request'.
 */
export async function updateBroadcast(
  deps: UpdateDeps,
  bot: Bot,
  by: Actor,
  { id, changes, ...rights }: BroadcastRights & { id: number; changes: BroadcastChanges },
  check?: (before: Broadcast) => void,
): Promise<Broadcast> {
  const { clock } = deps;
  const changed = await deps.db.transaction().execute(async (db) => {
    const store = broadcastStore(db);
    const known = await store.lock(id);
    if (known === null) throw new FlotillaError('not_found', 'Broadcast not found');
    if (known.started_at !== null || known.ended_at !== null || !['scheduled', 'paused'].includes(known.state)) {
      throw new FlotillaError('conflict', 'A broadcast that has begun cannot be changed');
    }
    check?.(known);
    const { name, audience, method, params, per_second, send_at } = { ...known, ...changes };
    const wanted = { name, audience, method, params, per_second, send_at };
    const content = await readBroadcast({ db, clock }, bot, { ...wanted, ...rights });
    const details = `broadcast ${id}; ${describeChanges(shownOf(known), shownOf(content), { params: 'hidden' })}`;
    await recordAction({ db, clock }, by, { action: 'broadcast_update', bot_id: bot.id, details });
    const waits = send_at !== null && send_at.getTime() > clock.nowMs();
    const begins = known.state === 'scheduled' && !waits;
    return store.change(id, {
      ...{ ...content, created_by: callActor(by) },
      ...(begins ? { state: 'running', started_at: new Date(clock.nowMs()) } : {}),
    });
  });
  await tellWatchers(deps, changed);
  return changed;
}

function shownOf({ name, audience, method, params, per_second, send_at }: BroadcastContent | Broadcast) {
  const { chat_ids: ids, ...others } = audience;
  return {
    name,
    ...(ids === undefined ? {} : { chat_ids: ids }),
    audience: others,
    method,
    params,
    per_second,
    send_at,
  };
}
