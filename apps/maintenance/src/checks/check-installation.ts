import { readServerIdentity } from '@flotilla/database/server-identity.ts';
import { type Quarantine, quarantineOf } from '@flotilla/domain/fleet/installation/quarantine.ts';
import { installationKey } from '@flotilla/redis/keys.ts';
import type { DiagnosisDeps } from './diagnosis-deps.ts';
import { type Finding, ok, warn } from './finding.ts';

type Stores = Pick<DiagnosisDeps, 'db' | 'redis'>;

/** Checks that the stores belong together, and to no other installation. */
export async function checkInstallation(deps: Stores): Promise<Finding[]> {
  const quarantine = await findQuarantine(deps);
  if (quarantine === null) return [ok('installation', 'its stores belong to it')];
  const mend =
    'let it take over when the other one has ended: docs/operations/backup.md#a-copy-is-not-the-installation';
  return [warn('installation', `it is in quarantine, and polls and sends nothing: ${quarantine.text}`, mend)];
}

/** Why the processes are in quarantine; null if they are not. */
export async function findQuarantine({ db, redis }: Stores): Promise<Quarantine | null> {
  const stored = await db.selectFrom('installation').selectAll().executeTakeFirst();
  if (stored === undefined) return null;
  return quarantineOf(stored, await readServerIdentity(db), await redis.commands.get(installationKey));
}
