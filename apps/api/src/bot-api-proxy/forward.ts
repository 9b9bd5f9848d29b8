import type { Floods } from '@flotilla/domain/delivery/flood/floods.ts';
import type { Refusal } from './answer.ts';
import type { HiddenSecret } from './programs/secret-mask.ts';

/** Sees the bodies of a call as they pass. Only `holdsRefusal` and `replacesRefusal` hold a short refusal back, and replace it. */
export type Tee = {
  onRequestChunk: ((chunk: Buffer) => void) | null;
  /** True while the tee needs the rest of the answer; likewise `onResponseChunk`. */
  onResponseStart(status: number, headers: string[]): boolean;
  onResponseChunk(chunk: Buffer): boolean;
  onResponseEnd(): void;
  /** The client left after the platform got the whole call. True: read on, only for the tee. */
  onClientGone(): boolean;
  /** The platform got the whole call, but no whole answer came. */
  onAnswerLost(): void;
  /** True to hold an answer with this status and so many bytes (-1: unknown) back, until `replacesRefusal` has seen it whole. */
  holdsRefusal?(status: number, bytes: number): boolean;
  /** True: the client gets `true` instead of this refusal. */
  replacesRefusal?(refusal: Buffer): Promise<boolean>;
};

/** Follows the first call with an Idempotency-Key to its end, of which exactly one of the last three tells. */
export type Keyed = {
  /** The bytes of the body as they go on; a refusal breaks the call off. */
  onSent(bytes: Buffer): Refusal | null;
  onAnswerStart(status: number, headers: string[]): void;
  onAnswerChunk(bytes: Buffer): void;
  /** True while more of the answer is needed, also after the client left. */
  isWanted(): boolean;
  /** The whole answer came. `sentWhole` is false if the platform did not wait for the whole call. */
  onAnswered(sentWhole: boolean): void;
  /** The client got this body in place of the platform's refusal. */
  onReplaced(body: Buffer): void;
  /** No answer, or no whole one, came. */
  onFailed(sentWhole: boolean): void;
};

/** Writes a body anew while it passes; a refusal breaks the call off. */
export type BodyRewriter = { write(chunk: Buffer): Buffer | Refusal; end(): Buffer | Refusal };
/** A body that is sent in place of the client's, and its Content-Type. */
export type OwnBody = { type: string } & ({ content: Buffer } | { rewrite: BodyRewriter });

/** The differences of a call with a program's token. */
export type AsProgram = {
  /** Path and query string with the bot's token. */
  path: string;
  /** Null: the body is sent as it comes. */
  body: OwnBody | null;
  /** Kept out of what the platform says. */
  secret: HiddenSecret;
  /** A file is what people sent, as texts in updates are, so only an error in its place is searched for the secret. */
  isFile: boolean;
};

/** A call of a registered bot, whose answer says if the platform takes such calls. */
export type SeenCall = { floods: Floods; botId: number; method: string; query: string; begunAtMs: number };

export type Forward = {
  /** Path and query string as received, without our prefix. */
  path: string;
  /** Null: that of a stranger. */
  botId: number | null;
  tee: Tee | null;
  asProgram: AsProgram | null;
  /** Null for a file, and for a bot that is not ours: nothing is learned of its floods. */
  seen: SeenCall | null;
  /** The whole body, if it was read to decide about the call. */
  body: Buffer | null;
  /** Null for a call without an Idempotency-Key. */
  keyed: Keyed | null;
  /** Delays our own errors: some clients ask again without a pause. */
  errorDelayMs: number;
  onDone(status: number): void;
};
