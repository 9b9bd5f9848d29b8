import type { Database } from './connect.ts';
import { pendingMigrations } from './pending-migrations.ts';

/** Throws when the database lacks a migration that this release needs, or Postgres' error if it cannot be asked. */
export async function requireSchema(db: Database): Promise<void> {
  const pending = await pendingMigrations(db);
  if (pending.length === 0) return;
  throw new Error(`The database lacks migrations (${pending.join(', ')}); run: npm run migrate`);
}
