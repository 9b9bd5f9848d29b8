import { sql } from 'kysely';
import type { Database } from './connect.ts';

/** Which database this is. A copy that was made from rows differs; one that was made from files may differ in its timeline only. */
export type ServerIdentity = {
  /** `system_identifier`, which replicas share with their primary. null: the server does not tell it. */
  server: string | null;
  databaseOid: number;
  /** It changes with every promotion, also of a base backup that was restored. null: the server does not tell it. */
  timeline: string | null;
};

/** Managed services may refuse a function or lack it. */
const NOT_TOLD = ['42501', '42883', '0A000', '55000'];

export async function readServerIdentity(db: Database): Promise<ServerIdentity> {
  const [server, timeline, { rows }] = await Promise.all([
    unlessRefused(sql<{ value: string }>`select system_identifier::text as value from pg_control_system()`.execute(db)),
    unlessRefused(sql<{ value: string }>`select left(pg_walfile_name(pg_current_wal_lsn()), 8) as value`.execute(db)),
    sql<{ oid: number }>`select oid::bigint as oid from pg_database where datname = current_database()`.execute(db),
  ]);
  return { server, timeline, databaseOid: rows[0]!.oid };
}

async function unlessRefused(asked: Promise<{ rows: { value: string }[] }>): Promise<string | null> {
  try {
    return (await asked).rows[0]?.value ?? null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOT_TOLD.includes(String(error.code))) return null;
    throw error;
  }
}
