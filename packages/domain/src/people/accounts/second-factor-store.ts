import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

/** Where the secret of an account's codes is sealed. */
export const secondFactorPlace = (accountId: number) => `second_factors.totp_sealed.${accountId}`;

/** The secret of an account that has passkeys alone. */
export const NO_TOTP = '';

type App = { totp_sealed: string; last_step: number };

/** SQL of second factors. An account has a row once it has an authenticator app or a passkey. */
export function secondFactorStore(db: Database) {
  return {
    /** Releases before this one kept what was only begun in a row, too. */
    find: (accountId: number) =>
      db
        .selectFrom('second_factors')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('confirmed_at', 'is not', null)
        .executeTakeFirst(),

    /** The first factor of an account. False if it has one. */
    async begin(account_id: number, app: App | null, hashes: readonly string[], at: Date): Promise<boolean> {
      const { totp_sealed, last_step } = app ?? { totp_sealed: NO_TOTP, last_step: 0 };
      const row = { totp_sealed, last_step, recovery_hashes: JSON.stringify(hashes), confirmed_at: at };
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto('second_factors')
        .values({ account_id, ...row })
        .onConflict((conflict) =>
          conflict.column('account_id').doUpdateSet(row).where('second_factors.confirmed_at', 'is', null),
        )
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },

    /** An app beside passkeys. False if there is an app. */
    async addTotp(accountId: number, app: App): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('second_factors')
        .set(app)
        .where('account_id', '=', accountId)
        .where('totp_sealed', '=', NO_TOTP)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Uses the code of a step up. False if it, or a later one, was used. */
    async useStep(accountId: number, step: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('second_factors')
        .set({ last_step: step })
        .where('account_id', '=', accountId)
        .where('last_step', '<', step)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Uses a recovery code up. False if there is none of this hash. */
    async useRecovery(accountId: number, hash: string): Promise<boolean> {
      const { numAffectedRows = 0n } = await sql`
        update second_factors set recovery_hashes = recovery_hashes - ${hash}::text
        where account_id = ${accountId} and recovery_hashes ? ${hash}::text`.execute(db);
      return numAffectedRows > 0n;
    },

    /** Removes the app; without passkeys nothing is left. False if there was none. */
    async removeTotp(accountId: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('second_factors')
        .set({ totp_sealed: NO_TOTP })
        .where('account_id', '=', accountId)
        .where('totp_sealed', '<>', NO_TOTP)
        .where('confirmed_at', 'is not', null)
        .executeTakeFirst();
      await this.removeEmpty(accountId);
      return numUpdatedRows > 0n;
    },

    /** The recovery codes go with the last factor. */
    async removeEmpty(accountId: number): Promise<void> {
      await sql`
        delete from second_factors f where account_id = ${accountId} and totp_sealed = ${NO_TOTP}
          and not exists (select from passkeys p where p.account_id = f.account_id)`.execute(db);
    },

    /** All of them, with the passkeys. */
    async remove(accountId: number): Promise<boolean> {
      const gone = await db.deleteFrom('second_factors').where('account_id', '=', accountId).executeTakeFirst();
      return gone.numDeletedRows > 0n;
    },
  };
}
