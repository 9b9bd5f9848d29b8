import type { Role } from '@flotilla/contract/resources/account.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import type { Account } from './account.ts';

const NO_BOTS: readonly number[] = [];

/** SQL of accounts. */
export function accountStore(db: Database) {
  const accounts = () =>
    db
      .selectFrom('accounts')
      .selectAll('accounts')
      .select((row) =>
        row
          .selectFrom('account_bots')
          .whereRef('account_bots.account_id', '=', 'accounts.id')
          .select((bots) => bots.fn.agg<string[] | null>('array_agg', ['account_bots.bot_id']).as('ids'))
          .as('bot_ids'),
      );
  type Row = Awaited<ReturnType<ReturnType<typeof accounts>['executeTakeFirstOrThrow']>>;

  return {
    async findById(id: number): Promise<Account | null> {
      const row = await accounts().where('accounts.id', '=', id).executeTakeFirst();
      return row === undefined ? null : toAccount(row);
    },

    /** In any case, as usernames are unique in any case. */
    async findByUsername(username: string): Promise<{ account: Account; passwordHash: string } | null> {
      const row = await accounts()
        .where((where) => where(where.fn<string>('lower', ['accounts.username']), '=', sql<string>`lower(${username})`))
        .executeTakeFirst();
      return row === undefined ? null : { account: toAccount(row), passwordHash: row.password_hash };
    },

    async passwordHashOf(id: number): Promise<string | null> {
      const row = await db.selectFrom('accounts').select('password_hash').where('id', '=', id).executeTakeFirst();
      return row?.password_hash ?? null;
    },

    async anyExists(): Promise<boolean> {
      return (await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) !== undefined;
    },

    async insert(account: { username: string; passwordHash: string; role: Role; allBots: boolean }): Promise<number> {
      const { id } = await db
        .insertInto('accounts')
        .values({
          username: account.username,
          password_hash: account.passwordHash,
          role: account.role,
          all_bots: account.allBots,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },

    async recordSignIn(id: number, at: Date): Promise<void> {
      await db.updateTable('accounts').set({ last_login_at: at }).where('id', '=', id).execute();
    },

    /** Ends every session of the account; returns the epoch under which new ones are opened. */
    async setPassword(id: number, passwordHash: string, mustChange: boolean): Promise<number> {
      const { session_epoch } = await db
        .updateTable('accounts')
        .set((row) => ({
          password_hash: passwordHash,
          must_change_password: mustChange,
          session_epoch: row('session_epoch', '+', 1),
        }))
        .where('id', '=', id)
        .returning('session_epoch')
        .executeTakeFirstOrThrow();
      return session_epoch;
    },
  };

  function toAccount(row: Row): Account {
    return {
      id: row.id,
      username: row.username,
      displayName: row.display_name,
      role: row.role,
      allBots: row.all_bots,
      botIds: row.bot_ids?.map(Number) ?? NO_BOTS,
      mustChangePassword: row.must_change_password,
      sessionEpoch: row.session_epoch,
      createdAt: row.created_at,
      lastLoginAt: row.last_login_at,
    };
  }
}
