import type { Broadcast } from '@flotilla/contract/broadcasts.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { recordEvent } from '../../people/events/record-event.ts';
import { actorOfCall } from '../../records/history/stream/captured-call.ts';
import { countsOf } from './broadcast.ts';
import { broadcastEntryStore } from './broadcast-entry-store.ts';
import { broadcastStore } from './broadcast-store.ts';
import { chatListStore } from './chat-list-store.ts';
import { nextRelease } from './release-entries.ts';

export type AdvanceDeps = { db: Database; clock: Clock };

/** The result of a step. `more`: the next step has work right away. `isNews`: those who watch the bot are to be told. */
export type Advanced = { broadcast: Broadcast; released: number; more: boolean; isNews: boolean };
type Step = Omit<Advanced, 'isNews'>;

/** A step holds the row of its broadcast, for which the outbox waits before it settles an entry of it. */
const CHATS_A_STEP = 4_000;
const CANCELLED_A_STEP = 4_000;
const TELL_EVERY_MS = 1_000;

/**
 * One step of a broadcast, in one transaction: makes entries for the next chats and releases some, or cancels some. null: it has
 * ended, waits, or another worker is at it.
 */
export async function advanceBroadcast(deps: AdvanceDeps, id: number): Promise<Advanced | null> {
  return deps.db.transaction().execute(async (db) => {
    const broadcast = await broadcastStore(db).lock(id, { skips: true });
    if (broadcast === null || broadcast.ended_at !== null) return null;
    switch (broadcast.state) {
      case 'running':
        return withNews({ ...deps, db }, await run({ ...deps, db }, broadcast));
      case 'cancelled':
        return withNews({ ...deps, db }, await cancelSome({ ...deps, db }, broadcast));
      case 'scheduled':
      case 'paused':
      case 'done':
        return null;
    }
  });
}

/** Once a second at most over all workers, and its end. */
async function withNews({ db, clock }: AdvanceDeps, step: Step): Promise<Advanced> {
  const { id, told_at, told_progress, ended_at } = step.broadcast;
  const nowMs = clock.nowMs();
  const { queued: _, ...settled } = countsOf(step.broadcast);
  const progress = Object.values(settled).reduce((sum, count) => sum + count, 0);
  const isDue = progress !== told_progress && nowMs - (told_at?.getTime() ?? 0) >= TELL_EVERY_MS;
  if (ended_at !== null || !isDue) return { ...step, isNews: ended_at !== null };
  const changes = { told_at: new Date(nowMs), told_progress: progress };
  return { ...step, broadcast: await broadcastStore(db).change(id, changes), isNews: true };
}

async function run(deps: AdvanceDeps, known: Broadcast): Promise<Step> {
  const made = known.made ? known : await makeSome(deps.db, known);
  const { broadcast, released } = await releaseSome(deps, made);
  if (broadcast.made && countsOf(broadcast).queued === 0) {
    return { broadcast: await finish(deps.db, broadcast), released, more: false };
  }
  return { broadcast, released, more: !broadcast.made };
}

async function makeSome(db: Database, broadcast: Broadcast): Promise<Broadcast> {
  const { count, lastChatId } = await broadcastEntryStore(db).makeNext(broadcast, CHATS_A_STEP);
  const { id, total, after_chat_id, audience } = broadcast;
  if (audience.list_id !== undefined && after_chat_id === null) await chatListStore(db).noteUse(audience.list_id);
  return broadcastStore(db).noteMade(id, {
    ...{ total: total + count, after_chat_id: lastChatId ?? after_chat_id, made: lastChatId === null },
  });
}

/** Of a bot that is disabled nothing is released; it would only wait in another place. */
async function releaseSome(
  { db, clock }: AdvanceDeps,
  broadcast: Broadcast,
): Promise<{ broadcast: Broadcast; released: number }> {
  if (countsOf(broadcast).queued === 0) return { broadcast, released: 0 };
  const bot = db.selectFrom('bots').select('id').where('id', '=', broadcast.bot_id).where('disabled', '=', false);
  if ((await bot.executeTakeFirst()) === undefined) return { broadcast, released: 0 };
  const entries = broadcastEntryStore(db);
  const next = nextRelease(broadcast, {
    released: await entries.countReleased(broadcast.id),
    nowMs: clock.nowMs(),
  });
  const released = next.entries === 0 ? 0 : await entries.release(broadcast.id, next.entries);
  const releasedTo = next.releasedTo(released);
  if (releasedTo === null) return { broadcast, released };
  return { broadcast: await broadcastStore(db).change(broadcast.id, { released_to: releasedTo }), released };
}

async function cancelSome({ db }: AdvanceDeps, broadcast: Broadcast): Promise<Step> {
  const cancelled = await broadcastEntryStore(db).cancel(broadcast.id, CANCELLED_A_STEP);
  const now = (await broadcastStore(db).find(broadcast.id)) ?? broadcast;
  if (countsOf(now).queued > 0) return { broadcast: now, released: 0, more: cancelled === CANCELLED_A_STEP };
  const ended = await broadcastStore(db).end(broadcast.id, 'cancelled');
  return { broadcast: ended, released: 0, more: false };
}

async function finish(db: Database, broadcast: Broadcast): Promise<Broadcast> {
  const { id, bot_id, name, created_by } = broadcast;
  const counts = countsOf(broadcast);
  const done = await broadcastStore(db).end(id, 'done');
  const others = Object.entries(counts).filter(([kind, count]) => count > 0 && !['total', 'sent'].includes(kind));
  const text = [
    `sent to ${counts.sent} of ${counts.total} chats`,
    ...others.map(([kind, count]) => `${kind}: ${count}`),
  ];
  const event = { kind: 'broadcast.done', bot_id, by: actorOfCall(created_by) } as const;
  await recordEvent(db, { ...event, text: `Broadcast ${id}, ${name}: ${text.join('; ')}` });
  return done;
}
