import { z } from 'zod';

export const MANIFEST_FILE = 'manifest.json';
/** In the format of `sha256sum --check`. It names every other file of the backup, and is written last. */
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
  /** Rows are in COPY's text format, gzipped. */
  tables: z.array(
    z.object({
      name,
      columns: z.array(name),
      /** Of a partitioned table: the dates (Unix seconds) between which it has months. */
      months: z.object({ fromS: z.int(), untilS: z.int() }).optional(),
      files: z.array(z.object({ file: z.string().regex(/^[a-z0-9_]+(\.[0-9]+)?\.copy\.gz$/), rows: z.int().min(1) })),
    }),
  ),
  /** The last value that each sequence has given out, or 0 when it gave out none. */
  sequences: z.array(z.object({ name, last: z.int().min(0) })),
});

export type BackupManifest = z.output<typeof backupManifest>;
export type BackedUpTable = BackupManifest['tables'][number];
export type BackedUpFile = BackedUpTable['files'][number];

/** The number of rows of a table. */
export function rowsOf({ files }: BackedUpTable): number {
  return files.reduce((sum, { rows }) => sum + rows, 0);
}
