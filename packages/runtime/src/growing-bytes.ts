const NONE = Buffer.alloc(0);

/**
 * Bytes that come in pieces, joined in one buffer at once: a list of pieces takes a hundred bytes for each, also where
 * a client sends them one by one.
 */
export class GrowingBytes {
  #room: Buffer = NONE;
  #length = 0;
  readonly #expected: number;

  /** No more room is made ahead than for the bytes that are expected at most. */
  constructor(expectedBytes: number) {
    this.#expected = expectedBytes;
  }

  /** Keeps a first piece as it is, so that a body of one piece is never copied. */
  write(piece: Buffer): void {
    if (this.#length === 0) {
      this.#room = piece;
      this.#length = piece.length;
      return;
    }
    const length = this.#length + piece.length;
    if (length > this.#room.length) {
      const room = Buffer.allocUnsafeSlow(Math.max(length, Math.min(2 * length, this.#expected)));
      this.#room.copy(room, 0, 0, this.#length);
      this.#room = room;
    }
    piece.copy(this.#room, this.#length);
    this.#length = length;
  }

  /** All of them so far; not to be written to. */
  bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  /** Their size in memory. */
  heldBytes(): number {
    return this.#room.length;
  }
}
