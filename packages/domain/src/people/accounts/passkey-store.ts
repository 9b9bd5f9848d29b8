import type { Database } from '@flotilla/database/connect.ts';
import type { Tables } from '@flotilla/database/tables.ts';
import { type Selectable, sql } from 'kysely';

export type Passkey = Selectable<Tables['passkeys']>;
export type NewPasskey = Pick<Passkey, 'account_id' | 'name' | 'credential_id' | 'counter' | 'transports'> & {
  public_key: Buffer;
};

/** SQL of passkeys. */
export function passkeyStore(db: Database) {
  return {
    list: (accountId: number) =>
      db.selectFrom('passkeys').selectAll().where('account_id', '=', accountId).orderBy('id').execute(),

    /** The passkeys of an account that has them in common with nobody: a credential of another account is none of its own. */
    find: (accountId: number, credentialId: string) =>
      db
        .selectFrom('passkeys')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('credential_id', '=', credentialId)
        .executeTakeFirst(),

    /** Returns null if somebody has this credential. */
    async insert({ transports, ...passkey }: NewPasskey): Promise<number | null> {
      const made = await db
        .insertInto('passkeys')
        .values({ ...passkey, transports: JSON.stringify(transports) })
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .returning('id')
        .executeTakeFirst();
      return made?.id ?? null;
    },

    /** Notes a use. False if its counter did not rise, as that of a copy: only authenticators without one always say 0. */
    async use(id: number, counter: number, at: Date): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('passkeys')
        .set({ counter, last_used_at: at })
        .where('id', '=', id)
        .where(sql<boolean>`(counter < ${counter} or (counter = 0 and ${counter} = 0))`)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Returns its name; null if the account has none of this id. */
    async remove(accountId: number, id: number): Promise<string | null> {
      const gone = await db
        .deleteFrom('passkeys')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .returning('name')
        .executeTakeFirst();
      return gone?.name ?? null;
    },
  };
}
