import type { IncomingMessage } from 'node:http';
import { type FloodedCall, floodedCallAt } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import type { Floods } from '@flotilla/domain/delivery/flood/floods.ts';
import { readPlatformAnswer, readRetryAfterHeader } from '@flotilla/telegram/platform-answer.ts';
import type { AsProgram, SeenCall } from '../forward.ts';
import { headerOf } from '../headers.ts';
import { placeOfBody, readableType } from './place-of-body.ts';

/** The part of it that was sent. */
export type SentCall = { req: IncomingMessage; asProgram: AsProgram | null; head: Buffer | null; isWhole: boolean };

/** The longest text of a message fits in. Of a longer first piece, such as that of an upload, its first fields are kept. */
const HEAD_BYTES = 32 * 1024;
const FIELDS_BYTES = 4 * 1024;
/** A longer 429 is the page of a gateway. */
const REFUSAL_BYTES = 4096;

export function seenCall(floods: Floods, botId: number, call: { method: string; path: { query: string } }): SeenCall {
  return { floods, botId, method: call.method, query: call.path.query, begunAtMs: performance.now() };
}

/** The beginning of a body that is kept until its answer comes. */
export function keptHead(piece: Buffer): Buffer {
  return piece.length <= HEAD_BYTES ? piece : Buffer.from(piece.subarray(0, FIELDS_BYTES));
}

/** The platform took the call, although there is a flood. */
export function learnOfSuccess(seen: SeenCall, sent: SentCall): void {
  const call = callOf(seen, sent);
  if (call !== null) seen.floods.passed(call, seen.begunAtMs);
}

/** Learns of a 429 from its header, or else from its body. */
export function flooding(seen: SeenCall, sent: SentCall, headers: string[]): { add(piece: Buffer): void; end(): void } {
  const note = (seconds: number) => {
    const call = callOf(seen, sent);
    if (call !== null) seen.floods.note(call, seconds);
  };
  const retryAfterS = readRetryAfterHeader(headerOf(headers, 'retry-after'));
  if (retryAfterS !== null) {
    note(retryAfterS);
    return NOTHING_MORE;
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  return {
    add: (piece) => {
      bytes += piece.length;
      if (bytes <= REFUSAL_BYTES) pieces.push(piece);
    },
    end: () => {
      const answer = readPlatformAnswer(429, undefined, Buffer.concat(pieces).toString('utf8'));
      if (answer.outcome === 'refused') note(answer.retryAfterS ?? 0);
    },
  };
}

const NOTHING_MORE = { add: () => undefined, end: () => undefined };

function callOf({ botId, method, query }: SeenCall, { req, asProgram, head, isWhole }: SentCall): FloodedCall | null {
  const own = asProgram?.body ?? null;
  const place = placeOfBody({
    query: own === null ? query : '',
    head,
    isWhole,
    type: own === null ? readableType(req) : own.type,
  });
  return place === null ? null : floodedCallAt(botId, method, place);
}
