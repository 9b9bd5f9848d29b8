import type { CallActor } from '@flotilla/contract/call-actor.ts';
import type { Actor } from '../../../people/audit/actor.ts';

/** A Bot API call that succeeded, as the history keeps it. */
export type CapturedCall = {
  /** Lower case. */
  method: string;
  params: Record<string, string>;
  /** Raw JSON of the platform's `result`. */
  result: string;
  /** Who made the call, and from where; absent when only the bot is known. */
  actor?: CallActor | undefined;
  /** When it was made (Unix ms), if its audit entry may be stored already: the entry's key is unique within a date. */
  atMs?: number | undefined;
  /** Why `params` lacks parameters that the platform read; absent if it lacks none. */
  incomplete?: string | undefined;
  /** Its time was reserved, so whoever reserves others knows of it; `ofBot`: among those of the bot, not of the chat. */
  paced?: true | 'ofBot' | undefined;
};

/** Calls of one bot that are appended to its history stream together, and only once, however often that is tried. */
export type CallBatch = {
  /** The process that captured them, and a number above those of its earlier batches. */
  process: string;
  number: number;
  calls: BufferedCall[];
};

export type BufferedCall = CapturedCall & {
  /** When it was seen to succeed; Unix ms. */
  atMs: number;
  /** The key under which its audit entry is stored once; '' for calls without one. */
  captureKey: string;
};

/** An actor as a captured call carries it. */
export function callActor(by: Actor, auditKey?: string): CallActor {
  const { accountId, username, keyId } = by.kind === 'account' ? by : {};
  const program = by.kind === 'bot' ? by.program : undefined;
  const ofProgram = { programId: program?.id, program: program?.name };
  const fields = {
    ...ofProgram,
    accountId,
    username,
    keyId: keyId ?? undefined,
    address: by.address ?? undefined,
    requestId: by.request?.id,
    auditKey,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The trace of the request by which a send was handed over, which goes on. */
export function traceOf({ request }: Actor): Pick<CallActor, 'traceparent'> {
  return request?.traceparent === undefined ? {} : { traceparent: request.traceparent };
}

/** The actor of a captured call. */
export function actorOfCall({
  accountId,
  username = '',
  keyId,
  address,
  programId,
  program,
  requestId,
}: CallActor): Actor {
  const request = requestId === undefined ? undefined : { id: requestId };
  if (accountId === undefined) {
    const named = programId === undefined ? {} : { program: { id: programId, name: program ?? '' } };
    return { kind: 'bot', address: address ?? null, request, ...named };
  }
  return { kind: 'account', accountId, username, keyId: keyId ?? null, address: address ?? null, request };
}
