import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { requireSchema } from '@flotilla/database/require-schema.ts';
import { readServerIdentity } from '@flotilla/database/server-identity.ts';
import { adoptInstallation } from '@flotilla/domain/fleet/installation/adopt-installation.ts';
import { installationStore } from '@flotilla/domain/fleet/installation/installation-store.ts';
import { quarantineOf } from '@flotilla/domain/fleet/installation/quarantine.ts';
import { OPERATOR } from '@flotilla/domain/people/audit/actor.ts';
import { requireNoOwner } from '@flotilla/domain/watch/fleet-figures/require-no-owner.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { installationKey } from '@flotilla/redis/keys.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { readDatabaseLogin, readRedisLogin } from './maintenance-settings.ts';

/**
 * The copy that DATABASE_URL names takes over from the installation that it was copied from. With REDIS_URL it refuses to stop another
 * installation that uses this Redis, unless it is forced.
 */
export async function adopt({ force = false }: { force?: boolean }): Promise<number> {
  const db = connectDatabase({ ...readDatabaseLogin(), role: 'adopt', maxConnections: 1 });
  try {
    await requireSchema(db);
    if (!force) await requireFreeRedis(db);
    const done = await adoptInstallation({ db, clock: systemClock }, OPERATOR);
    process.stdout.write(
      done
        ? 'This database is the installation now: its processes poll and send within seconds.\n'
        : 'Nothing to do: this database is not in quarantine. A process that is uses the Redis of another installation: ' +
            'correct its REDIS_URL, or call POST /api/system/adopt there.\n',
    );
    return 0;
  } finally {
    await db.destroy();
  }
}

async function requireFreeRedis(db: Database): Promise<void> {
  const login = readRedisLogin();
  if (login === null) return;
  const identity = await readServerIdentity(db);
  const stored = await installationStore(db).readOrBegin(identity);
  let redis: RedisHandles | null = null;
  try {
    redis = await connectRedis({ ...login, log: { warn: () => undefined } });
    const quarantine = quarantineOf(stored, identity, await redis.commands.get(installationKey));
    if (quarantine !== null) await requireNoOwner(redis, quarantine);
  } catch (error) {
    if (!isRedisUnavailable(error)) throw error;
    throw new FlotillaError(
      'unavailable',
      `Redis does not answer, so it cannot be asked whether another installation runs (${(error as Error).message}). Correct REDIS_URL or start Redis. If you know that no other installation runs, use --force.`,
    );
  } finally {
    await redis?.close();
  }
}
