import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { afterFailure, type RetryRecord } from '../../delivery/lanes/retry-schedule.ts';
import { EVERYTHING } from '../../people/accounts/scope.ts';
import { auditStore } from '../../people/audit/audit-store.ts';
import { presentAuditEntry } from '../../people/audit/present-audit-entry.ts';
import type { DeliverDeps } from './deliver-events.ts';
import type { EventSink } from './event-sink.ts';
import { type Sent, sendSigned } from './send-event.ts';
import { sinkStore } from './sink-store.ts';
import { dropCopies } from './tell-receiver.ts';

/** After a process died, another one goes on with its sink. */
const TAKEN_FOR_S = 60;
/** A sink that takes nothing for so long misses what is older; the log has it. */
const WAITS_AT_MOST_DAYS = 7;
/** So long, and then for one request more, a sink may keep the others waiting. */
const ROUND_MS = 10_000;

type Taken = { id: number; retry: string | null };
type Waiting = { id: number; entry_id: number; entry_date: number };

/** Sends the entries of the audit log that wait to each sink that takes them: one at a time, in their order. */
export async function deliverAudit(deps: DeliverDeps, signal: AbortSignal): Promise<void> {
  await sql`
    delete from audit_deliveries where queued_at < now() - make_interval(days => ${WAITS_AT_MOST_DAYS})`.execute(
    deps.db,
  );
  await dropCopies(deps.db);
  const taken = await takeSinks(deps.db);
  await Promise.all(taken.map((one) => deliverTo(deps, one, signal)));
}

async function takeSinks(db: Database): Promise<Taken[]> {
  const { rows } = await sql<Taken>`
    update event_sinks s set audit_due_at = now() + make_interval(secs => ${TAKEN_FOR_S})
    where ((s.enabled and s.audit) or s.removed_at is not null) and (s.audit_due_at is null or s.audit_due_at <= now())
      and exists (select from audit_deliveries d where d.sink_id = s.id)
    returning s.id, s.audit_retry as "retry"`.execute(db);
  return rows;
}

/** The sink is read again for each entry: what was changed or deleted meanwhile gets no more as it was. */
async function deliverTo(deps: DeliverDeps, { id, retry }: Taken, signal: AbortSignal): Promise<void> {
  const sinks = sinkStore(deps.db, deps.secrets);
  const nowMs = () => deps.clock.nowMs();
  const endsAtMs = nowMs() + ROUND_MS;
  let before = retry === null ? null : (JSON.parse(retry) as RetryRecord);
  while (!signal.aborted && nowMs() < endsAtMs) {
    const one = await firstWaiting(deps.db, id);
    const sink = one === null ? null : await sinks.findReceiver(id);
    if (one === null || sink === null) break;
    const sent = await sendEntry(deps, sink, one, signal);
    if (sent.outcome === 'stopped') break;
    if (sent.outcome === 'failed') {
      const { reason, status, retryAfterS } = sent;
      const failure = {
        code: 'refused',
        status,
        reason,
        ...(retryAfterS === undefined ? {} : { retryAfterS }),
      } as const;
      await sinks.noteFailed(id, new Date(nowMs()), reason);
      return release(deps.db, id, afterFailure(before, failure, { expiresAtMs: Number.MAX_SAFE_INTEGER }, nowMs()));
    }
    before = null;
    await settle(deps.db, id, one.id);
    await sinks.noteDelivered(id, new Date(nowMs()));
  }
  await release(deps.db, id, before);
}

async function firstWaiting(db: Database, sinkId: number): Promise<Waiting | null> {
  const { rows } = await sql<Waiting>`
    select id, entry_id, entry_date from audit_deliveries
    where sink_id = ${sinkId} order by id limit 1`.execute(db);
  return rows[0] ?? null;
}

/** An entry that retention has removed meanwhile counts as taken. */
async function sendEntry(deps: DeliverDeps, sink: EventSink, one: Waiting, signal: AbortSignal): Promise<Sent> {
  if (sink.target.kind !== 'url') return { outcome: 'taken' };
  const query = { id: one.entry_id, fromS: one.entry_date, beforeS: one.entry_date + 1 };
  const [entry] = await auditStore(deps.db).list(EVERYTHING, query, { limit: 1, offset: 0, before: null });
  if (entry === undefined) return { outcome: 'taken' };
  const timestamp = new Date(entry.date * 1000).toISOString();
  const message = {
    id: `aud_${entry.id}`,
    type: 'audit.entry',
    timestamp,
    data: presentAuditEntry(entry, { toAdmin: true }),
  };
  return sendSigned(deps, sink.target, message, signal);
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
