import type { OutboxState } from '@flotilla/contract/outbox.ts';
import { type RawBuilder, sql } from 'kysely';

/** The states of an entry. */
export type EntryEvent =
  | 'due'
  | 'begin'
  | 'again'
  | 'sent'
  | 'fail'
  | 'doubt'
  | 'lapse'
  | 'recall'
  | 'hold'
  | 'release'
  | 'cancel'
  | 'expire'
  | 'restore'
  | 'reschedule'
  | 'resend';

/**
 * Every change of a state. An answer that comes after an entry was declared in doubt is the truth, so it still settles the entry;
 * that it was sent counts whatever was done with the entry since, until it is begun again.
 */
export const TRANSITIONS: Readonly<Record<EntryEvent, { from: readonly OutboxState[]; to: OutboxState }>> = {
  due: { from: ['scheduled'], to: 'queued' },
  begin: { from: ['queued'], to: 'sending' },
  again: { from: ['sending', 'in_doubt'], to: 'queued' },
  sent: { from: ['sending', 'in_doubt', 'queued', 'scheduled', 'held', 'cancelled', 'expired'], to: 'sent' },
  fail: { from: ['sending', 'in_doubt'], to: 'failed' },
  doubt: { from: ['sending'], to: 'in_doubt' },
  // Nothing was sent, and nothing is to be: its broadcast was cancelled meanwhile.
  lapse: { from: ['sending', 'in_doubt'], to: 'cancelled' },
  recall: { from: ['queued'], to: 'scheduled' },
  hold: { from: ['scheduled', 'queued', 'sending', 'in_doubt'], to: 'held' },
  release: { from: ['held'], to: 'scheduled' },
  cancel: { from: ['scheduled', 'queued', 'held'], to: 'cancelled' },
  expire: { from: ['scheduled', 'queued', 'held'], to: 'expired' },
  // An entry that was cancelled a moment ago waits as before: since it was due, or for its time.
  restore: { from: ['cancelled'], to: 'queued' },
  reschedule: { from: ['cancelled'], to: 'scheduled' },
  resend: { from: ['failed', 'expired', 'in_doubt'], to: 'queued' },
};

const IS_SETTLED: Readonly<Record<OutboxState, boolean>> = {
  ...{ scheduled: false, queued: false, held: false, sending: false },
  ...{ sent: true, failed: true, in_doubt: true, cancelled: true, expired: true },
};

/** The condition and the assignments of an update by which this happens to entries; no other statement changes a state. */
export function transition(event: EntryEvent): { may: RawBuilder<boolean>; set: RawBuilder<unknown> } {
  const { from, to } = TRANSITIONS[event];
  // Literals, so that the planner sees which partial index holds them.
  const states = from.map((state) => `'${state}'`).join(', ');
  return {
    may: sql.raw<boolean>(from.length === 1 ? `outbox.state = ${states}` : `outbox.state in (${states})`),
    set: sql.raw(`state = '${to}', settled_at = ${IS_SETTLED[to] ? 'now()' : 'null'}`),
  };
}
