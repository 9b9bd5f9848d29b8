import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isInTinyPieces } from '@flotilla/runtime/is-in-tiny-pieces.ts';

/** A request that is cut off if its body comes in tiny pieces, whoever reads or drops it. */
export class CountedRequest extends IncomingMessage {
  #pieces = 0;
  #bytes = 0;
  /** Called by node:http (its types leave it out) when the answer is sent before the body is read. */
  declare _dump: () => void;

  constructor(socket: Socket) {
    super(socket);
    // Its own properties, because Express gives requests another prototype.
    this.push = this.#pushCounted;
    this._dump = this.#drop;
  }

  #pushCounted(piece: Buffer | null): boolean {
    if (piece !== null) {
      this.#pieces += 1;
      this.#bytes += piece.length;
      if (isInTinyPieces(this.#pieces, this.#bytes)) {
        this.destroy();
        return false;
      }
    }
    return super.push(piece);
  }

  /** The same as in node:http, except that the pieces still come through `push`. */
  #drop(): void {
    this.removeAllListeners('data');
    this.resume();
  }
}
