/** A stored file; `path` is what getFile and the download URL use. */
export type SimFile = {
  fileId: string;
  uniqueId: string;
  path: string;
  name: string;
  mime: string;
  bytes: Buffer;
  sha256: string;
};
