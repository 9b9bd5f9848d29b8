const NONE = Buffer.alloc(0);
const SMALLEST_ROOM = 1024;
const MOST_AHEAD = 16 * 1024;

/**
 * Bytes that were received and not yet read. Single bytes are joined in a buffer that grows with them, so that a body in
 * pieces takes a time and a memory that grow with its length only.
 */
export class PendingBytes {
  #room: Buffer = NONE;
  #from = 0;
  #to = 0;
  /** False while the room is a chunk of somebody else. */
  #isOwn = false;
  /** Up to here (from the first byte) the text that was looked for does not begin. */
  #searched = 0;

  get length(): number {
    return this.#to - this.#from;
  }

  append(chunk: Buffer): void {
    if (this.length === 0) {
      this.#room = chunk;
      this.#from = 0;
      this.#to = chunk.length;
      this.#isOwn = false;
      return;
    }
    if (!this.#isOwn || this.#to + chunk.length > this.#room.length) this.#move(this.length + chunk.length);
    chunk.copy(this.#room, this.#to);
    this.#to += chunk.length;
  }

  /** The offset of the text; -1 if it has not come as a whole. What was searched is not searched again for the same text. */
  indexOf(text: Buffer): number {
    const found = this.#room.subarray(this.#from, this.#to).indexOf(text, this.#searched);
    if (found === -1) this.#searched = Math.max(0, this.length - text.length + 1);
    return found;
  }

  startsWith(text: string): boolean {
    return this.#room.toString('latin1', this.#from, Math.min(this.#to, this.#from + text.length)) === text;
  }

  /** Takes bytes out. They stay valid, and keep the chunk or room that they came from in memory. */
  take(bytes: number): Buffer {
    const taken = this.#room.subarray(this.#from, this.#from + bytes);
    this.#from += bytes;
    this.#searched = Math.max(0, this.#searched - bytes);
    return taken;
  }

  drop(bytes: number): void {
    this.#from += bytes;
    this.#searched = 0;
  }

  /** To be called before a chunk is left to its owner, and when much was taken: keeps nothing in memory but the rest. */
  settle(): void {
    if (this.length === 0) {
      this.#room = NONE;
      this.#from = this.#to = 0;
    } else if (!this.#isOwn || this.#room.length > SMALLEST_ROOM + 8 * this.length) this.#move(this.length);
  }

  heldBytes(): number {
    return this.#isOwn || this.length === 0 ? this.#room.length : this.length;
  }

  /** Moves the bytes to a room for so many, and for more that may come singly. */
  #move(bytes: number): void {
    const room = Buffer.allocUnsafeSlow(Math.max(SMALLEST_ROOM, bytes + Math.min(bytes, MOST_AHEAD)));
    this.#room.copy(room, 0, this.#from, this.#to);
    this.#to = this.length;
    this.#from = 0;
    this.#room = room;
    this.#isOwn = true;
  }
}
