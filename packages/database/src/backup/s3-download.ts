import { Readable } from 'node:stream';
import type { S3mini } from 's3mini';
import { repeatRequest, statusOf } from './repeat-request.ts';

const NOT_FOUND = 404;
const RANGE_NOT_SATISFIABLE = 416;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * A stream out of an object. A download that breaks goes on where it stopped. Fails with the code ENOENT if there is no such
 * object.
 */
export function s3Download(client: S3mini, key: string): Readable {
  return Readable.from(chunksOf(client, key));
}

async function* chunksOf(client: S3mini, key: string): AsyncGenerator<Uint8Array, void, undefined> {
  let at = 0;
  let etag: string | null = null;
  let reader: Reader | null = null;
  const open = async (): Promise<Reader> => {
    const response = await client.getObjectRaw(key, at === 0, at, undefined, etag === null ? {} : { 'if-match': etag });
    etag ??= response.headers.get('etag');
    if (response.body === null || (at > 0 && response.status !== 206))
      throw new Error(`${key} cannot be read from ${at}`);
    return response.body.getReader();
  };
  const readNext = async () => {
    const opened = reader ?? (await open());
    // After a failure the next try opens anew.
    reader = null;
    const next = await opened.read();
    reader = opened;
    return next;
  };
  try {
    for (;;) {
      const { done, value } = await repeatRequest(readNext);
      if (done) return;
      at += value.length;
      yield value;
    }
  } catch (error) {
    // Nothing was left to read.
    if (at > 0 && statusOf(error) === RANGE_NOT_SATISFIABLE) return;
    throw statusOf(error) === NOT_FOUND ? Object.assign(new Error(`there is no ${key}`), { code: 'ENOENT' }) : error;
  } finally {
    await (reader as Reader | null)?.cancel().catch(() => {});
  }
}
