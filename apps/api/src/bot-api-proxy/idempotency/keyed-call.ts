import { KEPT_ANSWER_BYTES, keptHeaders } from '@flotilla/domain/delivery/idempotency/kept-answer.ts';
import type { Claim } from '@flotilla/domain/delivery/idempotency/open-claims.ts';
import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
import { type CallFate, fateOf } from '@flotilla/telegram/call-fate.ts';
import { readPlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import { NO_ROOM, type Refusal } from '../answer.ts';
import { readEncoding } from '../capture.ts';
import { decodedBytes, decodedText } from '../decoded-text.ts';
import type { AsProgram, Keyed } from '../forward.ts';
import { headerOf } from '../headers.ts';
import { asKept, SecretMask } from '../programs/secret-mask.ts';
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
    const fate = this.#fate();
    if (fate === 'undone' || (this.#status >= 400 && !sentWhole)) this.#settle((claim) => claim.free());
    else if (!sentWhole || fate === 'doubt') this.#settle((claim) => claim.lost());
    else this.#keep(this.#isTooLong() ? null : this.#answer.bytes());
  }

  onReplaced(body: Buffer): void {
    this.#status = 200;
    this.#headers = ['Content-Type', 'application/json'];
    this.#keep(body);
  }

  onFailed(sentWhole: boolean): void {
    if (!sentWhole || (this.#status !== 0 && this.#fate() === 'undone')) this.#settle((claim) => claim.free());
    else if (this.#isTooLong()) this.#keep(null);
    else this.#settle((claim) => claim.lost());
  }

  #fate(): CallFate {
    if (this.#isTooLong()) return fateByStatus(this.#status);
    const text = decodedText(this.#answer.bytes(), this.#encoding());
    return text === null ? fateByStatus(this.#status) : fateOf(readPlatformAnswer(this.#status, undefined, text));
  }

  #encoding(): string {
    return readEncoding(headerOf(this.#headers, 'content-encoding'));
  }

  #isTooLong(): boolean {
    return this.#bytes > KEPT_ANSWER_BYTES;
  }

  #keep(body: Buffer | null): void {
    const { hash, asProgram } = this.#options;
    const plain = body === null ? null : decodedBytes(body, this.#encoding());
    const shown = plain === null || asProgram === null ? plain : new SecretMask(asKept(asProgram.secret)).end(plain);
    const isKept = shown !== null && shown.length <= KEPT_ANSWER_BYTES;
    const answer = isKept ? { status: this.#status, headers: keptHeaders(this.#headers), body: shown } : null;
    this.#settle((claim) => claim.ended(hash.digest(), answer));
  }

  #settle(how: (claim: Claim) => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    how(this.#options.claim);
  }
}

/** An answer that cannot be looked into is taken for the platform's. */
function fateByStatus(status: number): CallFate {
  if (status < 300) return 'done';
  return status < 500 && status !== TOO_MANY_REQUESTS ? 'refused' : fateOf(readPlatformAnswer(status, undefined, ''));
}
