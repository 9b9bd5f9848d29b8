import type { Database } from '@flotilla/database/connect.ts';
import type { ServerIdentity } from '@flotilla/database/server-identity.ts';
import { sql } from 'kysely';
import type { StoredInstallation } from './quarantine.ts';

export function installationStore(db: Database) {
  const columns = ({ server, database_oid, timeline }: ServerIdentity) => ({
    server,
    database_oid,
    timeline,
  });
  return {
    /** The stored installation. Of a database that has none, this is the first start. */
    async readOrBegin(identity: ServerIdentity): Promise<StoredInstallation> {
      const stored = db.selectFrom('installation').selectAll();
      const found = await stored.executeTakeFirst();
      if (found !== undefined) return found;
      await db
        .insertInto('installation')
        .values(columns(identity))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return stored.executeTakeFirstOrThrow();
    },

    async lock(): Promise<StoredInstallation | null> {
      return (await db.selectFrom('installation').selectAll().forUpdate().executeTakeFirst()) ?? null;
    },

    async noteTimeline(id: string, timeline: string | null): Promise<void> {
      await db.updateTable('installation').set({ timeline }).where('id', '=', id).execute();
    },

    /** `held`: the id that Redis held until then, if any. */
    async noteRedisTaken(id: string, held: string | null): Promise<void> {
      await db
        .updateTable('installation')
        .set({ takes_redis: false, former_id: sql`coalesce(former_id, ${held})` })
        .where('id', '=', id)
        .execute();
    },

    /** Returns false if another process has noted it. */
    async noteQuarantine(isQuarantined: boolean): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('installation')
        .set({ quarantined_at: isQuarantined ? sql`now()` : null })
        .where('quarantined_at', isQuarantined ? 'is' : 'is not', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /**
     * With a new id, processes on a Redis that it shares with the installation it came from notice that this one took over. The id of a
     * copy is that of another installation, so it becomes no former one unless Redis is taken over, too.
     */
    async takeOver(identity: ServerIdentity, isCopy: boolean): Promise<void> {
      await db
        .updateTable('installation')
        .set({
          ...columns(identity),
          ...{ id: sql`gen_random_uuid()::text`, former_id: isCopy ? null : sql`id` },
          ...{ restored_from: null, takes_redis: true },
        })
        .execute();
    },
  };
}
