import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { sql } from 'kysely';
import type { Signing } from '../../fleet/bots/signing.ts';
import type { StoredEntry } from '../../people/audit/audit-store.ts';
import type { EventSink } from './event-sink.ts';
import { sinkStore } from './sink-store.ts';

type TellDeps = { db: Database; secrets: SecretBox; clock: Clock };

/**
 * Queues the entry that says what was done to a sink for who received the audit log from it, whatever its bots are. Where this ends, a
 * copy of the sink as it was gets that entry: nobody can silence a receiver without its knowledge. `after` null: it was deleted.
 */
export async function tellReceiver(
  deps: TellDeps,
  before: EventSink,
  after: EventSink | null,
  entry: StoredEntry,
): Promise<void> {
  if (before.target.kind !== 'url' || !before.audit || !before.enabled) return;
  const staysThere = after?.target.kind === 'url' && after.target.url === before.target.url && after.audit;
  if (after !== null && staysThere && after.enabled) {
    // A sink of all bots has it already.
    if (after.bot_ids !== null) await queueEntry(deps.db, after.id, entry);
    return;
  }
  const copy = await addCopy(deps, before, before.target.signing);
  const waiting = sql`where sink_id = ${before.id}`;
  if (staysThere) await sql`update audit_deliveries set sink_id = ${copy} ${waiting}`.execute(deps.db);
  // Who takes the log away wants no more of it sent there.
  if (after?.audit === false) await sql`delete from audit_deliveries ${waiting}`.execute(deps.db);
  await queueEntry(deps.db, copy, entry);
}

/** It takes no new entries, and no events. */
async function addCopy({ db, secrets, clock }: TellDeps, sink: EventSink, signing: Signing): Promise<number> {
  const sinks = sinkStore(db, secrets);
  const { id } = await sinks.insert({ ...sink, enabled: false, audit: false }, signing);
  await sinks.markRemoved(id, new Date(clock.nowMs()));
  return id;
}

/** Removes the copies whose receivers have got the last entries. */
export async function dropCopies(db: Database): Promise<void> {
  await sql`
    delete from event_sinks s where s.removed_at is not null
      and not exists (select from audit_deliveries d where d.sink_id = s.id)`.execute(db);
}

async function queueEntry(db: Database, sink_id: number, { id, date }: StoredEntry): Promise<void> {
  await db.insertInto('audit_deliveries').values({ sink_id, entry_id: id, entry_date: date }).execute();
}
