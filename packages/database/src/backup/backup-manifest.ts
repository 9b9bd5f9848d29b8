import { z } from 'zod';

export const MANIFEST_FILE = 'manifest.json';
/** In the format of `sha256sum --check`; names every other file of the backup. */
export const CHECKSUM_FILE = 'SHA256SUMS';

const name = z.string().regex(/^[a-z_]+$/);

export const backupManifest = z.object({
  format: z.literal(1),
  createdAt: z.iso.datetime(),
  /** Version of the server it was read from. */
  postgres: z.string(),
  /** The migrations that its tables had, in order. */
  schema: z.array(z.string()).min(1),
  /** Keys of ENCRYPTION_KEY without which its secrets cannot be read. */
  keyIds: z.array(z.string()),
  /** In the order of loading; rows in COPY's text format, gzipped. */
  tables: z.array(
    z.object({ name, file: z.string().regex(/^[a-z_]+\.copy\.gz$/), columns: z.array(name), rows: z.int().min(0) }),
  ),
  /** The last value that each sequence has given out; 0 when none. */
  sequences: z.array(z.object({ name, last: z.int().min(0) })),
});

export type BackupManifest = z.output<typeof backupManifest>;
