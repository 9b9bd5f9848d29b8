import { sql } from 'kysely';
import type { Database } from './connect.ts';

/** Which database this is. A copy that was made from rows differs; one that was made from files may differ in its timeline only. */
export type ServerIdentity = {
  /** `system_identifier`, which replicas share with their primary. null: the server does not tell it. */
  server: string | null;
  database_oid: number;
  /** It changes with every promotion, also of a base backup that was restored. null: the server does not tell it. */
  timeline: string | null;
};

/** Managed services may refuse a function or lack it. */
const REFUSED = ['42501', '42883', '0A000'];
/** Not known during recovery: it is told later. */
const NOT_NOW = '55000';
/** The refusals of the server of each connection: each further attempt would leave an error in its log. */
const refusals = new WeakMap<Database, Set<string>>();

export async function readServerIdentity(db: Database): Promise<ServerIdentity> {
  const [server, timeline, { rows }] = await Promise.all([
    unlessRefused(db, 'system_identifier::text as value from pg_control_system()'),
    unlessRefused(db, 'left(pg_walfile_name(pg_current_wal_lsn()), 8) as value'),
    sql<{ oid: number }>`select oid::bigint as oid from pg_database where datname = current_database()`.execute(db),
  ]);
  return { server, timeline, database_oid: rows[0]!.oid };
}

async function unlessRefused(db: Database, selected: string): Promise<string | null> {
  const refused = refusals.get(db) ?? new Set();
  refusals.set(db, refused);
  if (refused.has(selected)) return null;
  try {
    const { rows } = await sql<{ value: string }>`select ${sql.raw(selected)}`.execute(db);
    return rows[0]?.value ?? null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (REFUSED.includes(code)) refused.add(selected);
    else if (code !== NOT_NOW) throw error;
    return null;
  }
}
