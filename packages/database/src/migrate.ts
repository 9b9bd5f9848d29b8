import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Database } from './connect.ts';
import { isLockTimeout, repeatOnLockTimeout } from './lock-timeout.ts';
import { migrations } from './migrations.ts';
import { makeComingMonths } from './month-partitions.ts';
import { isBeingRestored } from './pending-migrations.ts';
import type { SchemaStep } from './schema-step.ts';

/** A statement that waits for a lock blocks all later ones, so no migration waits longer than this. */
const LOCK_TIMEOUT_MS = 3_000;
const TRIES = 20;
// Any number would do, but every release must use the same.
const TURN = 6_120_387_254;
const LOOK_AGAIN_MS = 250;

/**
 * Applies the pending migrations, makes the partitions of the coming months, and returns the migrations' names. Several processes may call it at once: one migrates, the
 * others wait for it. A database that a newer release has migrated is left unchanged. Throws the error of the migration
 * that failed; that one is rolled back, and those before it stay.
 */
export async function migrateToLatest(db: Database): Promise<string[]> {
  if (await isBeingRestored(db)) {
    throw new Error('A restore into the database is not finished: run npm run restore again, with the same backup');
  }
  const applied = await applySteps(db, migrations, Object.keys(migrations).at(-1)!);
  await makeComingMonths(db, Math.floor(Date.now() / 1000)).catch((error) => {
    // A backup keeps the tables from changing. Upkeep makes the months later; meanwhile the last partition has their rows.
    if (!isLockTimeout(error)) throw error;
  });
  return applied;
}

/** Like migrateToLatest, but stops after the migration of this name. */
export async function migrateTo(db: Database, last: string): Promise<string[]> {
  return applySteps(db, migrations, last);
}

/** Like migrateTo, for the given steps. */
export async function applySteps(db: Database, steps: Record<string, SchemaStep>, last: string): Promise<string[]> {
  return db.connection().execute(async (connection) => {
    await waitForTurn(connection);
    const applied: string[] = [];
    try {
      for (;;) {
        const [next] = await pendingOf(connection, steps);
        if (next === undefined || next > last) return applied;
        await applyStep(connection, steps, next);
        applied.push(next);
      }
    } finally {
      // If the connection broke, its lock is gone already.
      await sql`select pg_advisory_unlock(${TURN}), set_config('lock_timeout', '0', false)`
        .execute(connection)
        .catch(() => {});
    }
  });
}

/** Takes a session lock by polling, because a blocking wait would hit the lock timeout. */
async function waitForTurn(connection: Database): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_lock(${TURN}) as mine`.execute(connection);
    if (rows[0]?.mine) return;
    await delay(LOOK_AGAIN_MS);
  }
}

async function applyStep(connection: Database, steps: Record<string, SchemaStep>, name: string): Promise<void> {
  const disableTransactions = steps[name]?.outsideTransaction ?? false;
  // Building an index concurrently waits for older transactions and blocks nobody.
  const limitMs = disableTransactions ? 0 : LOCK_TIMEOUT_MS;
  await sql`select set_config('lock_timeout', ${String(limitMs)}, false)`.execute(connection);
  await repeatOnLockTimeout(TRIES, async () => {
    const { error } = await migrator(connection, steps).migrateUp({ disableTransactions });
    if (error !== undefined) throw error;
  });
}

async function pendingOf(db: Database, steps: Record<string, SchemaStep>): Promise<string[]> {
  const known = await migrator(db, steps).getMigrations();
  return known.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name);
}

function migrator(db: Database, steps: Record<string, SchemaStep>): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => steps } });
}
