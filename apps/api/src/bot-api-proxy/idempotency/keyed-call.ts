import { KEPT_ANSWER_BYTES, keptHeaders } from '@flotilla/domain/delivery/idempotency/kept-answer.ts';
import type { Claim } from '@flotilla/domain/delivery/idempotency/open-claims.ts';
import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
import { readPlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import { NO_ROOM, type Refusal } from '../answer.ts';
import { maskOf } from '../answer-head.ts';
import type { AsProgram, Keyed } from '../forward.ts';
import type { CallHash } from './call-hash.ts';

const TOO_MANY_REQUESTS = 429;

type Options = { claim: Claim; hash: CallHash; asProgram: AsProgram | null; holds: (bytes: number) => boolean };

/** Settles the claim of a call once it has ended. */
export class KeyedCall implements Keyed {
  readonly #options: Options;
  readonly #answer = new GrowingBytes(KEPT_ANSWER_BYTES);
  #bytes = 0;
  #status = 0;
  #headers: string[] = [];
  #isSettled = false;

  constructor(options: Options) {
    this.#options = options;
  }

  onSent(bytes: Buffer): Refusal | null {
    const { hash, holds } = this.#options;
    hash.write(bytes);
    return holds(hash.heldBytes()) ? null : NO_ROOM;
  }

  onAnswerStart(status: number, headers: string[]): void {
    this.#status = status;
    this.#headers = headers;
  }

  onAnswerChunk(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes <= KEPT_ANSWER_BYTES) this.#answer.write(bytes);
  }

  isWanted(): boolean {
    return this.#bytes <= KEPT_ANSWER_BYTES;
  }

  onAnswered(sentWhole: boolean): void {
    if (this.#status >= 400 && (!sentWhole || this.#saysUndone())) this.#settle((claim) => claim.free());
    else if (!sentWhole || this.#status >= 500) this.#settle((claim) => claim.lost());
    else this.#keep(this.#isTooLong() ? null : this.#masked());
  }

  onReplaced(body: Buffer): void {
    this.#status = 200;
    this.#headers = ['Content-Type', 'application/json'];
    this.#keep(body);
  }

  onFailed(sentWhole: boolean): void {
    if (!sentWhole || this.#status === TOO_MANY_REQUESTS) this.#settle((claim) => claim.free());
    else if (this.#isTooLong()) this.#keep(null);
    else this.#settle((claim) => claim.lost());
  }

  /** A 5xx that the platform did not write comes from a gateway, which does not know what the platform did. */
  #saysUndone(): boolean {
    if (this.#status < 500) return this.#status === TOO_MANY_REQUESTS;
    return readPlatformAnswer(this.#status, undefined, this.#answer.bytes().toString()).outcome === 'refused';
  }

  #isTooLong(): boolean {
    return this.#bytes > KEPT_ANSWER_BYTES;
  }

  #masked(): Buffer {
    const mask = maskOf(this.#options.asProgram, this.#status);
    const body = this.#answer.bytes();
    return mask === null ? body : (mask.end(body) ?? Buffer.alloc(0));
  }

  #keep(body: Buffer | null): void {
    const { hash } = this.#options;
    const answer = body === null ? null : { status: this.#status, headers: keptHeaders(this.#headers), body };
    this.#settle((claim) => claim.ended(hash.digest(), answer));
  }

  #settle(how: (claim: Claim) => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    how(this.#options.claim);
  }
}
