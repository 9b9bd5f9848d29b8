import type { Automatic } from './messages.ts';

/** Who made a call, as the history stream and rows of Postgres store it; other releases read it, too. Without an account it was the bot's client. */
export type CallActor = {
  accountId?: number;
  username?: string;
  keyId?: number;
  address?: string;
  /** The program whose token it was. */
  programId?: number;
  program?: string;
  /** The request by which it was made or handed over, and its trace. */
  requestId?: string;
  traceparent?: string;
  /** Of an entry of the outbox: the token. */
  tokenId?: number;
  /** Set by a REST action that has recorded its audit entry itself: that entry's key, which replaces the key of the call. */
  auditKey?: string;
  /** The automatic caller: its messages answer nobody. */
  automatic?: Automatic;
};
