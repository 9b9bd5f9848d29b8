import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { S3mini } from 's3mini';

/** Stores take 10,000 parts of an object, so this suffices for one of 160 GB; a file of a backup is far below. */
const PART_BYTES = 16 * 1024 * 1024;
const TRIES = 5;
const PAUSE_MS = 500;

type Part = { partNumber: number; etag: string };

/** A stream into an object. It holds one part in memory, and has finished when the store has the whole object. */
export function s3Upload(client: S3mini, key: string): Writable {
  const parts: Part[] = [];
  let uploadId: string | null = null;
  let chunks: Buffer[] = [];
  let bytes = 0;
  const sendPart = async (): Promise<void> => {
    uploadId ??= await repeated(() => client.getMultipartUploadId(key));
    const [id, data, partNumber] = [uploadId, Buffer.concat(chunks), parts.length + 1];
    [chunks, bytes] = [[], 0];
    parts.push(await repeated(() => client.uploadPart(key, id, data, partNumber)));
  };
  const finish = async (): Promise<void> => {
    if (uploadId === null) {
      const data = Buffer.concat(chunks);
      await repeated(() => client.putObject(key, data));
      return;
    }
    if (bytes > 0) await sendPart();
    const id = uploadId;
    await repeated(() => client.completeMultipartUpload(key, id, parts));
  };
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes < PART_BYTES) done();
      else sendPart().then(() => done(), done);
    },
    final: (done) => void finish().then(() => done(), done),
    destroy: (error, done) => {
      if (error === null || uploadId === null) return done(error);
      // A store keeps the parts of an upload that nobody ended, and charges for them.
      client.abortMultipartUpload(key, uploadId).then(
        () => done(error),
        () => done(error),
      );
    },
  });
}

/** A store may refuse a request for a moment ("slow down"), and a connection may break. */
async function repeated<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const status = (error as { status?: unknown }).status;
      if (tries === TRIES || (typeof status === 'number' && status < 500 && status !== 429)) throw error;
      await delay(PAUSE_MS * 2 ** tries);
    }
  }
}
