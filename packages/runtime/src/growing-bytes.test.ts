import { expect, test } from '@jest/globals';
import { GrowingBytes } from './growing-bytes.ts';

test('one piece is kept as it is', () => {
  const grown = new GrowingBytes(100);
  const piece = Buffer.from('piece');
  grown.write(Buffer.alloc(0));
  grown.write(piece);
  expect(grown.bytes().buffer).toBe(piece.buffer);
  expect([grown.bytes().toString(), grown.heldBytes()]).toEqual(['piece', 5]);
});

test('pieces of any size are joined, in no more than twice the bytes they have, nor than are expected', () => {
  const all = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
  const grown = new GrowingBytes(all.length);
  for (let at = 0, size = 1; at < all.length; at += size, size = (size * 7) % 1009) {
    grown.write(Buffer.from(all.subarray(at, at + size)));
    expect(grown.heldBytes()).toBeLessThanOrEqual(Math.min(all.length, 2 * (at + size)));
  }
  expect(grown.bytes().equals(all)).toBe(true);
});
