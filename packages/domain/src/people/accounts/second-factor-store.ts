import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

/** Where the secret of an account's codes is sealed. */
export const secondFactorPlace = (accountId: number) => `second_factors.totp_sealed.${accountId}`;

/** SQL of second factors. One that is not confirmed is being set up. */
export function secondFactorStore(db: Database) {
  return {
    find: (accountId: number) =>
      db.selectFrom('second_factors').selectAll().where('account_id', '=', accountId).executeTakeFirst(),

    /** Begins one, or begins again. False if there is a confirmed one. */
    async begin(account_id: number, totp_sealed: string): Promise<boolean> {
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto('second_factors')
        .values({ account_id, totp_sealed })
        .onConflict((conflict) =>
          conflict.column('account_id').doUpdateSet({ totp_sealed }).where('second_factors.confirmed_at', 'is', null),
        )
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },

    /** Confirms the one that has this secret. False if another one was begun, or it is confirmed already. */
    async confirm(accountId: number, totp_sealed: string, step: number, hashes: string[], at: Date): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('second_factors')
        .set({ last_step: step, recovery_hashes: JSON.stringify(hashes), confirmed_at: at })
        .where('account_id', '=', accountId)
        .where('totp_sealed', '=', totp_sealed)
        .where('confirmed_at', 'is', null)
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

    async remove(accountId: number): Promise<boolean> {
      const gone = await db.deleteFrom('second_factors').where('account_id', '=', accountId).executeTakeFirst();
      return gone.numDeletedRows > 0n;
    },
  };
}
