import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { sql } from 'kysely';

/**
 * Throws 'unavailable' when the audit log cannot be written now. Callers ask before an action elsewhere that cannot be
 * undone, such as at the platform.
 */
export async function requireAuditable(db: Database): Promise<void> {
  const { rows } = await sql<{ state: string }>`select current_setting('transaction_read_only') as state`.execute(db);
  if (rows[0]?.state === 'on') throw new FlotillaError('unavailable', 'The audit log cannot be written at the moment');
}
