import type { Readable } from 'node:stream';

/** A file of a call. Its bytes come from a stream, so that the file is never held in memory as a whole. */
export interface UploadedFile {
  /** The name of the parameter, or the name after `attach://` in its value. */
  field: string;
  name: string;
  mime: string;
  /** In bytes; null when the size is not known in advance. */
  size: number | null;
  stream: Readable;
}
