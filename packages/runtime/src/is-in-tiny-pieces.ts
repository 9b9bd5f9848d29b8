/** A body may have so many pieces whatever their size. */
const FREE_PIECES = 1024;
/** The least bytes that further pieces must have on average. Packets have more, also the smallest of any network. */
const PIECE_BYTES = 512;

/**
 * True if a body of so many bytes comes in too many pieces. A piece (a chunk, or what one read of a socket brings) takes
 * microseconds and hundreds of bytes, whatever its size, and one read of 64 KB may bring 11,000 chunks of a byte.
 */
export function isInTinyPieces(pieces: number, bytes: number): boolean {
  return pieces > FREE_PIECES + bytes / PIECE_BYTES;
}
