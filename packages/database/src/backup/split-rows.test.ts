import { expect, test } from '@jest/globals';
import { splitRows } from './split-rows.ts';

async function* inChunks(text: string, bytes: number): AsyncGenerator<Buffer> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

async function filesOf(text: string, rowsPerFile: number, chunkBytes: number): Promise<[string, number][]> {
  const files: [string, number][] = [];
  for await (const { content, count } of splitRows(inChunks(text, chunkBytes), rowsPerFile)) {
    let file = '';
    for await (const chunk of content) file += chunk.toString('latin1');
    files.push([file, count()]);
  }
  return files;
}

test.each([[1], [2], [3], [5], [100]])(
  'rows are divided where a file is full, in chunks of %d bytes',
  async (bytes) => {
    expect(await filesOf('a\nbb\n\ndddd\ne\n', 2, bytes)).toEqual([
      ['a\nbb\n', 2],
      ['\ndddd\n', 2],
      ['e\n', 1],
    ]);
    expect(await filesOf('a\nbb\n', 2, bytes)).toEqual([['a\nbb\n', 2]]);
    expect(await filesOf('', 2, bytes)).toEqual([]);
  },
);
