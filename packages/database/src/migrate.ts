import { Migrator } from 'kysely/migration';
import type { Database } from './connect.ts';
import { migrations } from './migrations.ts';

/**
 * Applies what is pending and returns the names of what it applied. Several processes may call it at once:
 * one migrates, the others wait for it. Throws the error of the migration that failed, which is rolled back.
 */
export async function migrateToLatest(db: Database): Promise<string[]> {
  const { error, results = [] } = await migrator(db).migrateToLatest();
  if (error !== undefined) throw error;
  return results.map((result) => result.migrationName);
}

/** The names of the migrations this database still lacks, in order. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const known = await migrator(db).getMigrations();
  return known.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name);
}

function migrator(db: Database): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}
