import { connectDatabase } from '@flotilla/database/connect.ts';
import { requireSchema } from '@flotilla/database/require-schema.ts';
import { adoptInstallation } from '@flotilla/domain/fleet/installation/adopt-installation.ts';
import { OPERATOR } from '@flotilla/domain/people/audit/actor.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { readDatabaseLogin } from './maintenance-settings.ts';

/** `adopt`: the copy that DATABASE_URL names takes over from the installation that it was copied from. */
export async function adopt(args: string[]): Promise<number> {
  if (args.length > 0) throw new FlotillaError('bad_request', 'adopt takes no argument.');
  const db = connectDatabase({ ...readDatabaseLogin(), role: 'adopt', maxConnections: 1 });
  try {
    await requireSchema(db);
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
