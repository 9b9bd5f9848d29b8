import type { CallActor } from '../update-log/captured-call.ts';
import type { DeliveryFailure } from '../update-log/delivery-failure.ts';
import type { RouteLink } from './route-link.ts';

interface EntryOrigin {
  /** '<shard>:<stream id>': unique, and the same when the entry is read again. */
  key: string;
  botId: number;
  /** Of the bot's registration; an entry of another one is dropped. */
  registrationId: string;
  /** When it was accepted or captured; Unix ms. */
  atMs: number;
}

/** An update as the log accepted it. */
export type UpdateEntry = EntryOrigin & { type: 'update'; updateId: number; raw: string };

/** A call that went through the proxy and succeeded; `result` is the raw JSON of the platform's `result`. */
export type CallEntry = EntryOrigin & {
  type: 'call';
  method: string;
  params: Record<string, string>;
  result: string;
  actor?: CallActor;
  /** Under which its audit entry is written once; without one the entry's key is. */
  callId?: string;
};

/** An update that a reader gave up. */
export type DeadEntry = EntryOrigin & {
  type: 'dead';
  updateId: number;
  raw: string;
  reader: string;
  failure: DeliveryFailure;
};

/** A message that rules have sent, and what it was made from. */
export type LinkEntry = EntryOrigin & { type: 'link'; link: RouteLink };

/** What the history stream carries. */
export type HistoryEntry = UpdateEntry | CallEntry | DeadEntry | LinkEntry;
