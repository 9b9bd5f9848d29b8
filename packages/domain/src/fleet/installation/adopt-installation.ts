import type { Database } from '@flotilla/database/connect.ts';
import { readServerIdentity } from '@flotilla/database/server-identity.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { installationStore } from './installation-store.ts';
import { isSameDatabase } from './quarantine.ts';

/**
 * Ends the quarantine: from now on this database and the Redis beside it are the installation. Its processes notice within seconds.
 * Returns false if there is no quarantine. Postgres does not tell that a process uses the Redis of others: that process says it.
 */
export async function adoptInstallation(
  deps: { db: Database; clock: Clock },
  by: Actor,
  hasRedisOfOthers = false,
): Promise<boolean> {
  const identity = await readServerIdentity(deps.db);
  return deps.db.transaction().execute(async (transaction) => {
    const store = installationStore(transaction);
    const stored = await store.lock();
    if (stored === null) return false;
    const isMarked = stored.restored_from !== null || !isSameDatabase(stored, identity);
    if (!isMarked && stored.quarantined_at === null && !hasRedisOfOthers) return false;
    if (stored.takes_redis && !isMarked) return true;
    await store.takeOver(identity, isMarked);
    const origin = stored.restored_from === null ? '' : `restored from the backup of ${stored.restored_from}`;
    await recordAction({ ...deps, db: transaction }, by, { action: 'adopt', details: origin });
    return true;
  });
}
