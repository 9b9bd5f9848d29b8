const NONE = Buffer.alloc(0);

/**
 * Joins bytes that arrive in pieces in one buffer. A list of pieces would take a hundred bytes for each piece, and a
 * client may send single bytes.
 */
export class GrowingBytes {
  #room: Buffer = NONE;
  #length = 0;
  readonly #expected: number;

  /** The buffer grows ahead of its content only up to the expected size. */
  constructor(expectedBytes: number) {
    this.#expected = expectedBytes;
  }

  /** Keeps the first piece itself, so that a body of one piece is never copied. */
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

  /** All bytes so far. The caller must not write to them. */
  bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  /** The size of the buffer in memory. */
  heldBytes(): number {
    return this.#room.length;
  }
}
