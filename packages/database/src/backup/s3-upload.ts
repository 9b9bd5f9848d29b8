import { Writable } from 'node:stream';
import type { S3mini } from 's3mini';
import { repeatRequest } from './repeat-request.ts';

/** Stores take 10,000 parts of an object, so this suffices for one of 160 GB; a file of a backup is far below. */
const PART_BYTES = 16 * 1024 * 1024;

type Part = { partNumber: number; etag: string };

/**
 * A stream into an object. It holds one part in memory, and has finished when the store has the whole object. Destroyed earlier, it
 * closes when no request is in flight and its parts are removed; the object may be there.
 */
export function s3Upload(client: S3mini, key: string): Writable {
  const parts: Part[] = [];
  const stopping = new AbortController();
  const send = <Result>(request: () => Promise<Result>) => repeatRequest(request, stopping.signal);
  let upload: { id: string } | null = null;
  let chunks: Buffer[] = [];
  let bytes = 0;
  let inFlight: Promise<void> = Promise.resolve();
  const sendPart = async (): Promise<void> => {
    upload ??= { id: await send(() => client.getMultipartUploadId(key)) };
    const [{ id }, data, partNumber] = [upload, Buffer.concat(chunks), parts.length + 1];
    [chunks, bytes] = [[], 0];
    parts.push(await send(() => client.uploadPart(key, id, data, partNumber)));
  };
  const finish = async (): Promise<void> => {
    if (upload === null) {
      const data = Buffer.concat(chunks);
      await send(() => client.putObject(key, data));
      return;
    }
    if (bytes > 0) await sendPart();
    const { id } = upload;
    await send(() => client.completeMultipartUpload(key, id, parts));
    upload = null;
  };
  /** A store keeps the parts of an upload that nobody ended, and charges for them. */
  const abort = async (): Promise<void> => {
    stopping.abort();
    await inFlight.catch(() => {});
    if (upload !== null) await client.abortMultipartUpload(key, upload.id);
  };
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes < PART_BYTES) return done();
      inFlight = sendPart();
      inFlight.then(() => done(), done);
    },
    final: (done) => {
      inFlight = finish();
      inFlight.then(() => done(), done);
    },
    destroy: (error, done) => {
      abort().then(
        () => done(error),
        (left: unknown) => done(error ?? (left as Error)),
      );
    },
  });
}
