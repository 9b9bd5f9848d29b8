import { clockAheadMs } from '@flotilla/database/clock-of-server.ts';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { requireSchema } from '@flotilla/database/require-schema.ts';
import { planRemovals } from '@flotilla/domain/records/retention/plan-removals.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { readDatabaseLogin, readRetentionDays } from './maintenance-settings.ts';

/** Says what retention would remove now with the given settings, and removes nothing. */
export async function retention(): Promise<number> {
  const db = connectDatabase({ ...readDatabaseLogin(), role: 'retention', maxConnections: 1 });
  try {
    await requireSchema(db);
    const aheadMs = await clockAheadMs(db, systemClock);
    const clock = { nowMs: () => systemClock.nowMs() - aheadMs };
    for (const { table, rows, total, before } of await planRemovals({ db, clock }, readRetentionDays())) {
      const day = before.toISOString();
      process.stdout.write(`${table}: about ${rows} of ${total} rows would go, those from before ${day}\n`);
    }
    return 0;
  } finally {
    await db.destroy();
  }
}
