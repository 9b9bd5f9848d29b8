import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { afterFailure, type RetryRecord } from '../../delivery/lanes/retry-schedule.ts';
import { type AuditEntry, auditStore } from '../../people/audit/audit-store.ts';
import type { DeliverDeps } from './deliver-events.ts';
import type { EventSink } from './event-sink.ts';
import { type Sent, sendSigned } from './send-event.ts';
import { sinkStore } from './sink-store.ts';

/** After a process died, another one goes on with its sink. */
const TAKEN_FOR_S = 60;
/** A sink that takes nothing for so long misses what is older; the log has it. */
const WAITS_AT_MOST_DAYS = 7;
const ENTRIES_AT_ONCE = 100;

type Taken = { id: number; retry: string | null };
type Waiting = { id: number; entryId: number; entryDate: number };

/** Sends the entries of the audit log that wait to each sink that takes them: one at a time, in their order. */
export async function deliverAudit(deps: DeliverDeps, signal: AbortSignal): Promise<void> {
  await sql`
    delete from audit_deliveries where queued_at < now() - make_interval(days => ${WAITS_AT_MOST_DAYS})`.execute(
    deps.db,
  );
  const taken = await takeSinks(deps.db);
  await Promise.all(taken.map((one) => deliverTo(deps, one, signal)));
}

async function takeSinks(db: Database): Promise<Taken[]> {
  const { rows } = await sql<Taken>`
    update event_sinks s set audit_due_at = now() + make_interval(secs => ${TAKEN_FOR_S})
    where s.enabled and (s.audit_due_at is null or s.audit_due_at <= now())
      and exists (select from audit_deliveries d where d.sink_id = s.id)
    returning s.id, s.audit_retry as "retry"`.execute(db);
  return rows;
}

async function deliverTo(deps: DeliverDeps, { id, retry }: Taken, signal: AbortSignal): Promise<void> {
  const sinks = sinkStore(deps.db, deps.secrets);
  const sink = await sinks.find(id);
  if (sink === null) return;
  const nowMs = () => deps.clock.nowMs();
  for (;;) {
    const waiting = signal.aborted ? [] : await readWaiting(deps.db, id);
    if (waiting.length === 0) return release(deps.db, id, null);
    for (const one of waiting) {
      const sent = await sendEntry(deps, sink, one, signal);
      if (sent.outcome === 'stopped') return release(deps.db, id, null);
      if (sent.outcome === 'failed') {
        const { reason, status, retryAfterS } = sent;
        const failure = {
          code: 'refused',
          status,
          reason,
          ...(retryAfterS === undefined ? {} : { retryAfterS }),
        } as const;
        const before = retry === null ? null : (JSON.parse(retry) as RetryRecord);
        await sinks.noteFailed(id, new Date(nowMs()), reason);
        return release(deps.db, id, afterFailure(before, failure, { expiresAtMs: Number.MAX_SAFE_INTEGER }, nowMs()));
      }
      await settle(deps.db, id, one.id);
    }
    await sinks.noteDelivered(id, new Date(nowMs()));
  }
}

async function readWaiting(db: Database, sinkId: number): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select id, entry_id as "entryId", entry_date as "entryDate" from audit_deliveries
    where sink_id = ${sinkId} order by id limit ${ENTRIES_AT_ONCE}`.execute(db);
  return rows;
}

/** An entry that retention has removed meanwhile counts as taken. */
async function sendEntry(deps: DeliverDeps, sink: EventSink, one: Waiting, signal: AbortSignal): Promise<Sent> {
  if (sink.target.kind !== 'url') return { outcome: 'taken' };
  const query = { id: one.entryId, fromS: one.entryDate, beforeS: one.entryDate + 1 };
  const [entry] = await auditStore(deps.db).list(query, { limit: 1, offset: 0, before: null });
  if (entry === undefined) return { outcome: 'taken' };
  const timestamp = new Date(entry.date * 1000).toISOString();
  const message = { id: `aud_${entry.id}`, type: 'audit.entry', timestamp, data: auditData(entry) };
  return sendSigned(deps, sink.target, message, signal);
}

/** As `GET /api/adminlog` shows it to admins. */
function auditData(entry: AuditEntry): AuditEntryResource {
  const { id, action, actor_kind: kind, actor_key_id: key, details, date, ...others } = entry;
  const present = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
  return {
    ...present,
    ...{ id, action: action as AuditAction, details, date, actor_kind: key === null ? kind : 'key' },
    ...(key === null ? {} : { actor_key_id: key }),
  };
}

/** Removes what was taken, and keeps the sink for this process. */
async function settle(db: Database, sinkId: number, deliveryId: number): Promise<void> {
  await sql`
    with taken as (delete from audit_deliveries where id = ${deliveryId})
    update event_sinks set audit_due_at = now() + make_interval(secs => ${TAKEN_FOR_S}), audit_retry = null
    where id = ${sinkId}`.execute(db);
}

async function release(db: Database, sinkId: number, retry: RetryRecord | null): Promise<void> {
  const due = retry === null ? null : new Date(retry.nextTryAtMs);
  const record = retry === null ? null : JSON.stringify(retry);
  await sql`update event_sinks set audit_due_at = ${due}, audit_retry = ${record} where id = ${sinkId}`.execute(db);
}
