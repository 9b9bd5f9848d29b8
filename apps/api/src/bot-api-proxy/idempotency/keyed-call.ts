import { KEPT_ANSWER_BYTES, keptHeaders } from '@flotilla/domain/delivery/idempotency/kept-answer.ts';
import type { Claim } from '@flotilla/domain/delivery/idempotency/open-claims.ts';
import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
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
    if (!this.#isAnswer()) this.#settle((claim) => claim.free());
    else if (sentWhole) this.#keep(this.#isTooLong() ? null : this.#masked());
    else if (this.#status >= 400) this.#settle((claim) => claim.free());
    else this.#settle((claim) => claim.lost());
  }

  onReplaced(body: Buffer): void {
    this.#status = 200;
    this.#headers = ['Content-Type', 'application/json'];
    this.#keep(body);
  }

  onFailed(sentWhole: boolean): void {
    if (!sentWhole || (this.#status !== 0 && !this.#isAnswer())) this.#settle((claim) => claim.free());
    else if (this.#isTooLong()) this.#keep(null);
    else this.#settle((claim) => claim.lost());
  }

  /** After 429 and 5xx, which say that nothing was done, the next try is to run. */
  #isAnswer(): boolean {
    return this.#status !== TOO_MANY_REQUESTS && this.#status < 500;
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
