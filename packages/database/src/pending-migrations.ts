import { sql } from 'kysely';
import type { Database } from './connect.ts';
import { readSqlState } from './is-unavailable.ts';
import { migrationNames } from './migration-names.ts';

const NO_SUCH_TABLE = '42P01';

/** The names of the migrations this database still lacks, in order: all of them, while a restore into it is unfinished. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const applied = await readApplied(db);
  return migrationNames.filter((name) => !applied.has(name));
}

/** True if a restore into this database has begun and is not finished. */
export async function isBeingRestored(db: Database): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass('restore_progress') is not null as found`.execute(
    db,
  );
  return rows[0]?.found === true;
}

async function readApplied(db: Database): Promise<Set<string>> {
  try {
    const { rows } = await sql<{ name: string }>`
      select name from kysely_migration where to_regclass('restore_progress') is null`.execute(db);
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (readSqlState(error) === NO_SUCH_TABLE) return new Set();
    throw error;
  }
}
