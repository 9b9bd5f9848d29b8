import type { Database } from './connect.ts';
import { isBeingRestored, pendingMigrations } from './pending-migrations.ts';

/** Throws when the database lacks a migration that this release needs, or Postgres' error if it cannot be asked. */
export async function requireSchema(db: Database): Promise<void> {
  const pending = await pendingMigrations(db);
  if (pending.length === 0) return;
  if (await isBeingRestored(db)) {
    throw new Error('A restore into the database is not finished: run npm run restore again, with the same backup');
  }
  throw new Error(`The database lacks migrations (${pending.join(', ')}); run: npm run migrate`);
}
