import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';

/** Sends a JSON text, or its bytes, with its length. */
export function sendJson(response: Response, status: number, text: string | Buffer): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

const CHUNK_LENGTH = 65_536;

/**
 * Answers 200 with a text in pieces, no faster than the client reads. Throws what fails before the first piece; a later
 * failure, or `ended`, cuts the connection, so that nobody takes a part for the whole.
 */
export async function streamText(
  request: Request,
  response: Response,
  headers: Readonly<Record<string, string>>,
  pieces: AsyncIterable<string>,
  ended: AbortSignal,
): Promise<void> {
  const chunks = chunksOf(pieces);
  const first = await chunks.next();
  response.statusCode = 200;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (request.method === 'HEAD' || first.done) {
    await chunks.return();
    return void response.end();
  }
  try {
    await pipeline(Readable.from(prefixed(first.value, chunks), { objectMode: false }), response, { signal: ended });
  } catch (error) {
    // The client is gone; pipeline has ended the reading.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function* chunksOf(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let chunk = '';
  for await (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

async function* prefixed(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
