import { z } from 'zod';

export const MANIFEST_FILE = 'manifest.json';
/** In the format of `sha256sum --check`. It names every other file of the backup. */
export const CHECKSUM_FILE = 'SHA256SUMS';

const name = z.string().regex(/^[a-z_]+$/);

export const backupManifest = z.object({
  format: z.literal(1),
  createdAt: z.iso.datetime(),
  /** Version of the server that was backed up. */
  postgres: z.string(),
  /** The migrations that the backed-up database had, in order. */
  schema: z.array(z.string()).min(1),
  /** Ids of the keys in ENCRYPTION_KEY that are needed to read the secrets. */
  keyIds: z.array(z.string()),
  /** In the order of loading. Rows are in COPY's text format, gzipped. */
  tables: z.array(
    z.object({ name, file: z.string().regex(/^[a-z_]+\.copy\.gz$/), columns: z.array(name), rows: z.int().min(0) }),
  ),
  /** The last value that each sequence has given out, or 0 when it gave out none. */
  sequences: z.array(z.object({ name, last: z.int().min(0) })),
});

export type BackupManifest = z.output<typeof backupManifest>;
