import type { Actor } from '../../audit/actor.ts';

/** A Bot API call that succeeded, as the history keeps it. */
export type CapturedCall = {
  /** Lower case. */
  method: string;
  params: Record<string, string>;
  /** Raw JSON of the platform's `result`. */
  result: string;
  /** Who had it made, and from where; absent where only the bot is known. */
  actor?: CallActor;
};

/**
 * Who stands behind a call, as it waits in the history stream, where other releases read it too: without an account it
 * was the bot's own program. Two audit entries with one `auditKey` are one.
 */
export type CallActor = {
  accountId?: number;
  username?: string;
  keyId?: number;
  address?: string;
  auditKey?: string;
};

/** Calls of one bot that go on its history stream together, once however often that is tried. */
export type CallBatch = {
  /** The process that saw them, and a number above those of its earlier batches. */
  process: string;
  number: number;
  calls: SeenCall[];
};

export type SeenCall = CapturedCall & {
  /** When it was seen to succeed; Unix ms. */
  atMs: number;
  /** Under which its audit entry is written once; '' for calls that leave none. */
  id: string;
};

/** An actor as a captured call carries it. */
export function callActor(by: Actor, auditKey?: string): CallActor {
  const { accountId, username, keyId } = by.kind === 'account' ? by : {};
  const fields = { accountId, username, keyId: keyId ?? undefined, address: by.address ?? undefined, auditKey };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Who stands behind a call that was captured. */
export function actorOfCall({ accountId, username = '', keyId, address }: CallActor): Actor {
  if (accountId === undefined) return { kind: 'bot', address: address ?? null };
  return { kind: 'account', accountId, username, keyId: keyId ?? null, address: address ?? null };
}
