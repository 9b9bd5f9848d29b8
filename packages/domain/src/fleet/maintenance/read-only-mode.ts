import type { Database } from '@flotilla/database/connect.ts';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';

export type Maintenance = { reason: string; since: Date };

/** If changes are refused for maintenance, in this process; a change elsewhere is known within a second. */
export type ReadOnlyMode = {
  /** null: changes are accepted. While Postgres is away, as it was before. */
  maintenance(): Maintenance | null;
  /** Throws FlotillaError('unavailable') while changes are refused. */
  requireWritable(): void;
  look(): Promise<void>;
  close(): void;
};

const LOOK_EVERY_MS = 500;
const RETRY_AFTER_S = 30;

/** Follows the mode. One that was on before the first look is known when that has succeeded. */
export function followReadOnlyMode({ db, log }: { db: Database; log: Logger }): ReadOnlyMode {
  let maintenance: Maintenance | null = null;
  let isLooking = false;
  const read = async (): Promise<void> => {
    maintenance = (await db.selectFrom('maintenance').select(['reason', 'since']).executeTakeFirst()) ?? null;
  };
  const lookAgain = async (): Promise<void> => {
    // A look that is slow is not followed by a second one.
    if (isLooking) return;
    isLooking = true;
    await read().catch((error: unknown) => {
      if (!isUnavailable(error)) log.debug({ reason: String(error) }, 'the read-only mode could not be read');
    });
    isLooking = false;
  };
  const timer = setInterval(() => void lookAgain(), LOOK_EVERY_MS);
  return {
    maintenance: () => maintenance,
    requireWritable: () => {
      if (maintenance === null) return;
      const { reason } = maintenance;
      const sentence = `Flotilla is read-only for maintenance${reason === '' ? '' : ` (${reason})`}; try again later`;
      throw new FlotillaError('unavailable', sentence, { retryAfterS: RETRY_AFTER_S });
    },
    look: read,
    close: () => clearInterval(timer),
  };
}

/** Refuses changes from now on, or accepts them again. Doing it twice changes the reason only. */
export async function setReadOnly(
  { db, clock }: { db: Database; clock: Clock },
  by: Actor,
  wanted: { reason: string } | null,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (wanted === null) await transaction.deleteFrom('maintenance').execute();
    else {
      const { reason } = wanted;
      await transaction
        .insertInto('maintenance')
        .values({ reason })
        .onConflict((conflict) => conflict.column('single').doUpdateSet({ reason }))
        .execute();
    }
    const details = wanted === null ? 'read_only: true → false' : `read_only: true ${wanted.reason}`.trimEnd();
    await recordAction({ db: transaction, clock }, by, { action: 'read_only', details });
  });
}
