import type { OutboxState } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Exact, Scope } from '../../people/accounts/scope.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { callActor } from '../../records/history/stream/captured-call.ts';
import { authorRights } from './author.ts';
import type { EntryQuery } from './entry-query.ts';
import { TRANSITIONS } from './entry-state.ts';
import { type ChangeEvent, outboxStore } from './outbox-store.ts';
import { type WakeDeps, wakeOutbox } from './wake-outbox.ts';

export type ChangeDeps = WakeDeps & { db: Database; clock: Clock };
export type EntryChange = { matched: number; done: number; refused: number };

/** Who does it. What an admin sends again goes by the admin's right if its author has lost it; what others send again, by its author's. */
export type Changer = { by: Actor; isAdmin: boolean; scope: Scope };

const AT_ONCE = 1000;
const AUDITED = { cancel: 'outbox_cancel', resend: 'outbox_resend', release: 'outbox_release' } as const;

/**
 * Cancels the matching entries, releases them, or queues them again, in portions and with one audit entry for each bot. Those whose state does
 * not allow it are refused. A query without ids means only those to which it may happen.
 */
export async function changeEntries<Given extends EntryQuery>(
  deps: ChangeDeps,
  changer: Changer,
  act: ChangeEvent,
  given: Exact<EntryQuery, Given>,
): Promise<EntryChange> {
  // One state after the other, as the index has them.
  const queries = given.ids === undefined ? possible(act, given.state).map((state) => ({ ...given, state })) : [given];
  const counts = { matched: 0, done: 0, refused: 0 };
  const bots = new Map<number, { count: number; released: number }>();
  for (const query of queries) {
    for await (const { ids, changed } of inPortions(deps, changer, act, query)) {
      const done = changed.reduce((sum, { count }) => sum + count, 0);
      for (const { bot_id, count, released } of changed) {
        const known = bots.get(bot_id) ?? { count: 0, released: 0 };
        bots.set(bot_id, { count: known.count + count, released: known.released + released });
      }
      counts.matched += ids;
      counts.done += done;
      counts.refused += ids - done;
    }
  }
  for (const [bot_id, { count, released }] of bots) {
    const details = `entries: ${count}${act === 'resend' && released > 0 ? `; released: ${released}` : ''}`;
    await recordAction(deps, changer.by, { action: AUDITED[act], bot_id, details });
    await wakeOutbox(deps, bot_id);
  }
  return counts;
}

/** Undoes the cancelling of these entries where that is still possible; the others are refused. */
export async function restoreEntries<Given extends EntryQuery>(
  deps: ChangeDeps,
  { by, scope }: Changer,
  query: Exact<EntryQuery, Given>,
): Promise<EntryChange> {
  const ids = await outboxStore(deps.db).idsAfter(scope, query, 0, AT_ONCE);
  const rights = authorRights(deps);
  const able: number[] = [];
  for (const entry of await outboxStore(deps.db).authored(ids)) {
    if ((await rights.lost(entry)) === null) able.push(entry.id);
  }
  const restored = await deps.db.transaction().execute(async (db) => {
    const bots = await outboxStore(db).restore(scope, able);
    for (const { bot_id, count } of bots) {
      await recordAction({ ...deps, db }, by, { action: 'outbox_restore', bot_id, details: `entries: ${count}` });
    }
    return bots;
  });
  for (const { bot_id } of restored) await wakeOutbox(deps, bot_id);
  const done = restored.reduce((sum, { count }) => sum + count, 0);
  return { matched: ids.length, done, refused: ids.length - done };
}

async function* inPortions(deps: ChangeDeps, { by, isAdmin, scope }: Changer, act: ChangeEvent, query: EntryQuery) {
  const store = outboxStore(deps.db);
  let lastId = 0;
  while (true) {
    const ids = await store.idsAfter(scope, query, lastId, AT_ONCE);
    const released = isAdmin ? await releasedBy(deps, act, ids) : undefined;
    if (ids.length > 0)
      yield { ids: ids.length, changed: await store.change(scope, act, { ids, released }, callActor(by)) };
    lastId = ids.at(-1) ?? lastId;
    if (ids.length < AT_ONCE) return;
  }
}

/** The entries that go on by the right of who does this. */
async function releasedBy(deps: ChangeDeps, act: ChangeEvent, ids: number[]): Promise<number[]> {
  if (act !== 'resend') return act === 'release' ? ids : [];
  const rights = authorRights(deps);
  const released: number[] = [];
  for (const entry of await outboxStore(deps.db).authored(ids)) {
    if ((await rights.lost(entry)) !== null) released.push(entry.id);
  }
  return released;
}

/** The effect of a change, of up to COUNTED_ENTRIES entries. */
export async function countEntries<Given extends EntryQuery>(
  db: Database,
  scope: Scope,
  act: ChangeEvent,
  given: Exact<EntryQuery, Given>,
): Promise<EntryChange> {
  const store = outboxStore(db);
  const states = possible(act, given.state);
  const able = await store.count(scope, { ...given, states });
  const matched = given.ids === undefined ? able : await store.count(scope, given);
  return { matched, done: 0, refused: matched - able };
}

function possible(act: ChangeEvent, state: OutboxState | undefined): OutboxState[] {
  return TRANSITIONS[act].from.filter((from) => state === undefined || from === state);
}
