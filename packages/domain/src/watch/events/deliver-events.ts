import { setTimeout } from 'node:timers/promises';
import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { sql } from 'kysely';
import { afterFailure, type RetryRecord } from '../../delivery/lanes/retry-schedule.ts';
import { eventStore } from '../../people/events/event-store.ts';
import type { EventSink } from './event-sink.ts';
import { shownEvent } from './event-text.ts';
import { type SendDeps, type Sent, sendEvent } from './send-event.ts';
import { sinkStore } from './sink-store.ts';

export type DeliverDeps = SendDeps & { db: Database; secrets: SecretBox; publicUrl: string | null };

type Due = { id: number; sinkId: number; eventId: number; repeats: number; retry: string | null };

/** Longer than a request may take: after a process died, another one sends what it had taken. */
const TAKEN_FOR_S = 60;
const EXPIRES_MS = 86_400_000;
const TAKEN_AT_ONCE = 50;

/**
 * Sends what is due: of each sink one at a time, in order. While some sinks are slow to answer, it looks every `lookEveryMs`
 * for what became due for the others, so that a sink that fails delays no other.
 */
export async function deliverEvents(deps: DeliverDeps, lookEveryMs: number, signal: AbortSignal): Promise<void> {
  const sending = new Set<Promise<void>>();
  while (!signal.aborted) {
    const sinks = new Map((await sinkStore(deps.db, deps.secrets).list()).map((sink) => [sink.id, sink]));
    for (const due of sinks.size === 0 ? [] : await takeDue(deps.db)) {
      const sent = deliver(deps, sinks.get(due.sinkId), due, signal).finally(() => sending.delete(sent));
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

/** What is in flight, or was tried and is tried again, holds back what comes after it. */
async function takeDue(db: Database): Promise<Due[]> {
  const { rows } = await sql<Due>`
    with first as (
      select distinct on (sink_id) id, due_at from event_deliveries d
      where delivered_at is null and (due_at <= now() or retry is not null)
      order by sink_id, id
    )
    update event_deliveries d set due_at = now() + make_interval(secs => ${TAKEN_FOR_S}), retry = coalesce(retry, '')
    where id in (
      select d.id from event_deliveries d join first on first.id = d.id where first.due_at <= now()
      order by d.id limit ${TAKEN_AT_ONCE} for update of d skip locked)
      and delivered_at is null and due_at <= now()
    returning id, sink_id as "sinkId", event_id as "eventId", repeats, retry`.execute(db);
  return rows;
}

async function deliver(deps: DeliverDeps, sink: EventSink | undefined, due: Due, signal: AbortSignal): Promise<void> {
  const event = await eventStore(deps.db).find(due.eventId);
  // The sink was deleted since, or just added.
  if (sink === undefined || event === undefined) return;
  const sent = await sendEvent(deps, sink, shownEvent(deps, event, due.repeats), signal);
  const [at, expiresAtMs] = [new Date(deps.clock.nowMs()), event.at.getTime() + EXPIRES_MS];
  const sinks = sinkStore(deps.db, deps.secrets);
  const row = deps.db.updateTable('event_deliveries').where('id', '=', due.id);
  switch (sent.outcome) {
    case 'taken':
      await row.set({ delivered_at: at, retry: null }).execute();
      await sinks.noteDelivered(sink.id, at);
      return;
    case 'failed': {
      const record = recordOf(due, sent, expiresAtMs, deps.clock.nowMs());
      const isGivenUp = record.nextTryAtMs > expiresAtMs;
      await row
        .set(
          isGivenUp
            ? { delivered_at: at, retry: null }
            : { due_at: new Date(record.nextTryAtMs), retry: JSON.stringify(record) },
        )
        .execute();
      await sinks.noteFailed(sink.id, at, sent.reason);
      return;
    }
    case 'stopped':
      await row.set({ due_at: at }).execute();
  }
}

/** The retries are those of updates. */
function recordOf(
  { retry }: Due,
  { reason, status, retryAfterS }: Extract<Sent, { outcome: 'failed' }>,
  expiresAtMs: number,
  nowMs: number,
): RetryRecord {
  const failure = { code: 'refused', status, reason, ...(retryAfterS === undefined ? {} : { retryAfterS }) } as const;
  const before = retry ? (JSON.parse(retry) as RetryRecord) : null;
  return afterFailure(before, failure, { expiresAtMs }, nowMs);
}
