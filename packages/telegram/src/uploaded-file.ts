import type { Readable } from 'node:stream';

/** A file of a call: its bytes come from a stream, so that it is never held whole. */
export interface UploadedFile {
  /** The name that the parameter, or `attach://…` in it, has. */
  field: string;
  name: string;
  mime: string;
  /** In bytes; null when it is not known before the end. */
  size: number | null;
  stream: Readable;
}
