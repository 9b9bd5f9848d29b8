import { connectLong, type DatabaseLogin } from './long-client.ts';

/**
 * Notes in the database that a backup of it is complete: `takenAt` is its moment, in ISO 8601. Notes older than a year are
 * removed.
 */
export async function recordBackup(
  login: DatabaseLogin,
  { takenAt, bytes }: { takenAt: string; bytes: number },
): Promise<void> {
  const client = await connectLong(login, 'flotilla-backup');
  try {
    await client.query('insert into backups (taken_at, bytes) values ($1, $2) on conflict do nothing', [
      takenAt,
      bytes,
    ]);
    await client.query(`delete from backups where taken_at < now() - interval '1 year'`);
  } finally {
    await client.end().catch(() => {});
  }
}
