const NEWLINE = 10;

/** Part of the rows of a COPY. `count` is right when `content` has ended. */
export interface RowFile {
  content: AsyncGenerator<Buffer, void, undefined>;
  count(): number;
}

/**
 * Divides the rows of a COPY in text format, in which each line is a row, into files of at most so many. Each file must be read to
 * its end before the next one is asked for. Without rows there is no file.
 */
export async function* splitRows(source: AsyncIterable<Buffer>, rowsPerFile: number): AsyncGenerator<RowFile, void> {
  const chunks = source[Symbol.asyncIterator]();
  let rest = await nextChunk(chunks);
  while (rest !== null) {
    let count = 0;
    const content = async function* (): AsyncGenerator<Buffer, void, undefined> {
      while (rest !== null) {
        const end = endOfRows(rest, rowsPerFile - count);
        count += end.rows;
        yield rest.subarray(0, end.at);
        rest = end.at < rest.length ? rest.subarray(end.at) : await nextChunk(chunks);
        if (count === rowsPerFile) return;
      }
    };
    yield { content: content(), count: () => count };
  }
}

async function nextChunk(chunks: AsyncIterator<Buffer>): Promise<Buffer | null> {
  for (;;) {
    const { value, done } = await chunks.next();
    if (done) return null;
    if (value.length > 0) return value;
  }
}

/** Where the given number of rows ends in a chunk, or its end if it has fewer. */
function endOfRows(chunk: Buffer, most: number): { at: number; rows: number } {
  let at = 0;
  for (let rows = 0; rows < most; rows += 1) {
    const end = chunk.indexOf(NEWLINE, at);
    if (end < 0) return { at: chunk.length, rows };
    at = end + 1;
  }
  return { at, rows: most };
}
