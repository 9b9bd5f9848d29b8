import type { IncomingMessage, ServerResponse } from 'node:http';

/** The usual head has one or two KB. */
export const LONG_HEAD_BYTES = 16_384;
/** More of them at a time are nothing that clients do. */
export const LONG_HEADS_BYTES = 32 * 1024 * 1024;

/** Counts the long heads of requests that are not answered. */
export type LongHeads = {
  /** Counts a head until its response is closed; false if there is no memory for it. */
  admit(request: IncomingMessage, response: ServerResponse): boolean;
};

export function longHeads(allBytes: number): LongHeads {
  let held = 0;
  return {
    admit(request, response) {
      const bytes = headBytes(request);
      if (bytes <= LONG_HEAD_BYTES) return true;
      if (held + bytes > allBytes) return false;
      held += bytes;
      response.once('close', () => {
        held -= bytes;
      });
      return true;
    },
  };
}

/** Approximately, without what stands between names and values. A loop, because every call is measured. */
export function headBytes({ url = '', rawHeaders }: IncomingMessage): number {
  let bytes = url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}
