import { sql } from 'kysely';
import type { Database } from './connect.ts';

/** Things of which an owner may have so many. */
type Limited = 'adopted bots' | 'delivery jobs' | 'saved replies';

/** Until the transaction ends, nobody else counts these of this owner: what is counted then and added in it stays within the limit. */
export async function lockLimit(db: Database, limited: Limited, ownerId = 0): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${limited}), ${ownerId}::int)`.execute(db);
}
