import type { OutboxState } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { TRANSITIONS } from './entry-state.ts';
import { type EntryQuery, outboxStore } from './outbox-store.ts';
import { type WakeDeps, wakeOutbox } from './wake-outbox.ts';

export type ChangeDeps = WakeDeps & { db: Database; clock: Clock };
export type EntryChange = { matched: number; done: number; refused: number };
type Act = 'cancel' | 'resend';

const AT_ONCE = 1000;
const AUDITED = { cancel: 'outbox_cancel', resend: 'outbox_resend' } as const;

/**
 * Cancels the matching entries, or queues them again, in portions and with one audit entry for each bot. Those whose state does
 * not allow it are refused. A query without ids means only those to which it may happen.
 */
export async function changeEntries(deps: ChangeDeps, by: Actor, act: Act, given: EntryQuery): Promise<EntryChange> {
  const query = given.ids === undefined ? { ...given, states: possible(act, given.state) } : given;
  const store = outboxStore(deps.db);
  const counts = { matched: 0, done: 0, refused: 0 };
  const bots = new Map<number, number>();
  let lastId = 0;
  while (true) {
    const ids = await store.idsAfter(query, lastId, AT_ONCE);
    const changed = ids.length === 0 ? [] : await store.change(act, ids);
    const done = changed.reduce((sum, { count }) => sum + count, 0);
    for (const { botId, count } of changed) bots.set(botId, (bots.get(botId) ?? 0) + count);
    counts.matched += ids.length;
    counts.done += done;
    counts.refused += ids.length - done;
    lastId = ids.at(-1) ?? lastId;
    if (ids.length < AT_ONCE) break;
  }
  for (const [botId, count] of bots) {
    await recordAction(deps, by, { action: AUDITED[act], botId, details: `entries: ${count}` });
    await wakeOutbox(deps, botId);
  }
  return counts;
}

/** What a change would do. */
export async function countEntries(db: Database, act: Act, given: EntryQuery): Promise<EntryChange> {
  const store = outboxStore(db);
  const states = possible(act, given.state);
  const able = await store.count({ ...given, states });
  const matched = given.ids === undefined ? able : await store.count(given);
  return { matched, done: 0, refused: matched - able };
}

function possible(act: Act, state: OutboxState | undefined): OutboxState[] {
  return TRANSITIONS[act].from.filter((from) => state === undefined || from === state);
}
