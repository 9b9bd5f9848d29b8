import { setTimeout } from 'node:timers/promises';
import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { sql } from 'kysely';
import { afterFailure, type RetryRecord } from '../../delivery/lanes/retry-schedule.ts';
import { eventStore } from '../../people/events/event-store.ts';
import { moveSink } from './change-sinks.ts';
import type { EventSink } from './event-sink.ts';
import { shownEvent } from './event-text.ts';
import { type SendDeps, type Sent, sendEvents } from './send-event.ts';
import { sinkStore } from './sink-store.ts';

export type DeliverDeps = SendDeps & { db: Database; secrets: SecretBox; publicUrl: string | null };

type Due = { id: number; sink_id: number; event_id: number; repeats: number; retry: string | null };

/** Longer than a request may take: after a process died, another one sends what it had taken. */
const TAKEN_FOR_S = 60;
const EXPIRES_MS = 86_400_000;
const SINKS_AT_ONCE = 50;
/** A chat gets what is due in one message: when a host of many backends dies, its readers need no message for each bot. */
const EVENTS_OF_A_MESSAGE = 1_000;

/**
 * Sends what is due: of each sink one request or message at a time, in order. While some sinks are slow to answer, it looks every
 * `lookEveryMs` for what became due for the others, so that a sink that fails delays no other.
 */
export async function deliverEvents(deps: DeliverDeps, lookEveryMs: number, signal: AbortSignal): Promise<void> {
  const sending = new Set<Promise<void>>();
  /** When (ms) a chat got its last message: what comes meanwhile is the next one. */
  const wroteAt = new Map<number, number>();
  while (!signal.aborted) {
    const sinks = new Map((await sinkStore(deps.db, deps.secrets).list()).map((sink) => [sink.id, sink]));
    const resting = [...wroteAt].flatMap(([id, atMs]) => (deps.clock.nowMs() - atMs < lookEveryMs ? [id] : []));
    const taken = sinks.size === 0 ? [] : await takeDue(deps.db, resting);
    for (const [sink_id, due] of Map.groupBy(taken, (one) => one.sink_id)) {
      if (sinks.get(sink_id)?.target.kind === 'chat') wroteAt.set(sink_id, deps.clock.nowMs());
      const sent = deliver(deps, sinks.get(sink_id), due, signal).finally(() => sending.delete(sent));
      sending.add(sent);
    }
    if (sending.size === 0) return;
    await firstOf(sending, lookEveryMs);
  }
  await Promise.all(sending);
}

async function firstOf(sending: Iterable<Promise<void>>, atMostMs: number): Promise<void> {
  const waited = new AbortController();
  const pause = setTimeout(atMostMs, undefined, { signal: waited.signal }).catch(() => undefined);
  await Promise.race([pause, ...sending]).finally(() => waited.abort());
}

/** A delivery that is in flight or retried holds back later ones. Sinks that are off wait. */
async function takeDue(db: Database, resting: readonly number[]): Promise<Due[]> {
  const { rows } = await sql<Due>`
    with first as (
      select distinct on (d.sink_id) d.id, d.due_at from event_deliveries d
      join event_sinks s on s.id = d.sink_id and s.enabled and s.id <> all (${resting}::bigint[])
      where d.delivered_at is null and (d.due_at <= now() or d.retry is not null)
      order by d.sink_id, d.id
    ), locked as (
      select d.id, d.sink_id from event_deliveries d join first on first.id = d.id where first.due_at <= now()
      order by d.id limit ${SINKS_AT_ONCE} for update of d skip locked
    ), due as (
      select id from locked
      union all
      select rest.id from locked join event_sinks s on s.id = locked.sink_id and s.chat_id is not null
      cross join lateral (
        select d.id from event_deliveries d
        where d.sink_id = locked.sink_id and d.id > locked.id and d.delivered_at is null and d.due_at <= now()
        order by d.id limit ${EVENTS_OF_A_MESSAGE - 1}
      ) as rest
    )
    update event_deliveries d set due_at = now() + make_interval(secs => ${TAKEN_FOR_S}), retry = coalesce(retry, '')
    where id in (select id from due) and delivered_at is null and due_at <= now()
    returning id, sink_id, event_id, repeats, retry`.execute(db);
  return rows.sort((one, other) => one.id - other.id);
}

async function deliver(deps: DeliverDeps, sink: EventSink | undefined, due: Due[], signal: AbortSignal): Promise<void> {
  // The sink was deleted since, or just added.
  if (sink === undefined) return;
  const found = await eventStore(deps.db).findAll(due.map(({ event_id }) => event_id));
  const events = due.flatMap(({ event_id, repeats }) => {
    const event = found.get(event_id);
    return event === undefined || isOver(deps, event.at) ? [] : [shownEvent(deps, event, repeats)];
  });
  const rows = due.map(({ id }) => id);
  const at = new Date(deps.clock.nowMs());
  if (events.length === 0) return settle(deps.db, rows, at);
  const sent = await sendEvents(deps, sink, events, signal);
  const sinks = sinkStore(deps.db, deps.secrets);
  if (sent.movedTo !== undefined) await moveSink(deps, sink, sent.movedTo);
  switch (sent.outcome) {
    case 'taken':
      await settle(deps.db, rows, new Date(deps.clock.nowMs()));
      await sinks.noteDelivered(sink.id, new Date(deps.clock.nowMs()));
      return;
    case 'failed': {
      const newest = Math.max(...due.map(({ event_id }) => found.get(event_id)?.at.getTime() ?? 0));
      await retry(deps, rows, recordOf(due[0]?.retry ?? null, sent, newest + EXPIRES_MS, deps.clock.nowMs()));
      await sinks.noteFailed(sink.id, new Date(deps.clock.nowMs()), sent.reason);
      return;
    }
    case 'stopped':
      await deps.db.updateTable('event_deliveries').set({ due_at: at }).where('id', 'in', rows).execute();
  }
}

/** Nobody needs to read it any more. */
function isOver({ clock }: DeliverDeps, at: Date): boolean {
  return clock.nowMs() - at.getTime() > EXPIRES_MS;
}

async function settle(db: Database, rows: number[], at: Date): Promise<void> {
  await db.updateTable('event_deliveries').set({ delivered_at: at, retry: null }).where('id', 'in', rows).execute();
}

async function retry({ db, clock }: DeliverDeps, rows: number[], record: RetryRecord): Promise<void> {
  if (record.nextTryAtMs > record.expiresAtMs) return settle(db, rows, new Date(clock.nowMs()));
  const next = { due_at: new Date(record.nextTryAtMs), retry: JSON.stringify(record) };
  await db.updateTable('event_deliveries').set(next).where('id', 'in', rows).execute();
}

/** The retries are those of updates. */
function recordOf(
  known: string | null,
  { reason, status, retryAfterS }: Extract<Sent, { outcome: 'failed' }>,
  expiresAtMs: number,
  nowMs: number,
): RetryRecord {
  const failure = { code: 'refused', status, reason, ...(retryAfterS === undefined ? {} : { retryAfterS }) } as const;
  return afterFailure(known ? (JSON.parse(known) as RetryRecord) : null, failure, { expiresAtMs }, nowMs);
}
