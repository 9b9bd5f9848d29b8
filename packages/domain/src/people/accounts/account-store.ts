import { ACCOUNT_RIGHTS } from '@flotilla/contract/account-rights.ts';
import { accountResource } from '@flotilla/contract/accounts.ts';
import { storable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import type { Account, AccountRow } from './account.ts';
import { accountSees, labelledBots } from './seen-bots.ts';
import { usernameKey } from './username-key.ts';

const NO_BOTS: readonly number[] = [];
const hasSecondFactor = sql<boolean>`exists (
  select from second_factors f where f.account_id = accounts.id and f.confirmed_at is not null)`;

export type NewAccount = Pick<AccountRow, 'username' | 'password_hash' | 'role' | 'all_bots'> &
  Partial<
    Pick<AccountRow, 'display_name' | 'bot_labels' | 'rights' | 'must_change_password' | 'oidc_issuer' | 'oidc_subject'>
  >;
export type AccountRowChanges = Partial<
  Pick<
    AccountRow,
    'username' | 'display_name' | 'role' | 'all_bots' | 'bot_labels' | 'rights' | 'oidc_issuer' | 'oidc_subject'
  >
>;

export interface AccountWithPassword {
  account: Account;
  passwordHash: string;
}

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
      )
      .select([hasSecondFactor.as('second_factor'), labelledBots('accounts.bot_labels').as('labelled_bot_ids')]);
  type Row = Awaited<ReturnType<ReturnType<typeof accounts>['executeTakeFirstOrThrow']>>;

  const findById = async (id: number): Promise<Account | null> => {
    const row = await accounts().where('accounts.id', '=', id).executeTakeFirst();
    return row === undefined ? null : toAccount(row);
  };

  return {
    findById,

    /** The same, locked until the transaction ends. */
    async lock(id: number): Promise<Account | null> {
      const locked = db.selectFrom('accounts').select('id').where('id', '=', id).forNoKeyUpdate();
      return (await locked.executeTakeFirst()) === undefined ? null : findById(id);
    },

    async findByIds(ids: readonly number[]): Promise<Account[]> {
      const rows = await accounts().where('accounts.id', '=', sql<number>`any(${ids}::bigint[])`).execute();
      return rows.map(toAccount);
    },

    async findByUsernameKey(key: string): Promise<AccountWithPassword | null> {
      const row = await accounts().where('username_key', '=', key).executeTakeFirst();
      return row === undefined ? null : { account: toAccount(row), passwordHash: row.password_hash };
    },

    async findByIdentity({ issuer, subject }: { issuer: string; subject: string }): Promise<Account | null> {
      const ofIssuer = accounts().where('oidc_issuer', '=', issuer).where('oidc_subject', '=', subject);
      const row = await ofIssuer.executeTakeFirst();
      return row === undefined ? null : toAccount(row);
    },

    async passwordHashOf(id: number): Promise<string | null> {
      const row = await db.selectFrom('accounts').select('password_hash').where('id', '=', id).executeTakeFirst();
      return row?.password_hash ?? null;
    },

    async anyExists(): Promise<boolean> {
      return (await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) !== undefined;
    },

    /** Ordered by id. The page begins after `afterId`. */
    async list(page: { limit: number; offset: number; afterId: number | null }): Promise<Account[]> {
      let query = accounts().orderBy('accounts.id').limit(page.limit).offset(page.offset);
      if (page.afterId !== null) query = query.where('accounts.id', '>', page.afterId);
      return (await query.execute()).map(toAccount);
    },

    async count(): Promise<number> {
      const { count } = await db
        .selectFrom('accounts')
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** The admins, locked until the transaction ends. */
    async lockAdmins(): Promise<number[]> {
      const rows = await db
        .selectFrom('accounts')
        .select('id')
        .where('role', '=', 'admin')
        .orderBy('id')
        .forUpdate()
        .execute();
      return rows.map(({ id }) => id);
    },

    async insert(account: NewAccount): Promise<number> {
      const { id } = await db
        .insertInto('accounts')
        .values({ ...storable(accountResource, account), username_key: usernameKey(account.username) })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },

    async update(id: number, changes: AccountRowChanges): Promise<void> {
      const { username } = changes;
      const named = username === undefined ? {} : { username_key: usernameKey(username) };
      const values = { ...storable(accountResource, changes), ...named };
      if (Object.keys(values).length === 0) return;
      await db.updateTable('accounts').set(values).where('id', '=', id).execute();
    },

    /** Sets the bots that the account sees, unless it sees all. */
    async setBots(id: number, botIds: readonly number[]): Promise<void> {
      await db.deleteFrom('account_bots').where('account_id', '=', id).execute();
      const rows = [...new Set(botIds)].map((bot_id) => ({ account_id: id, bot_id }));
      if (rows.length > 0) await db.insertInto('account_bots').values(rows).execute();
    },

    /** Takes chats away from accounts that do not see their bot: those of an account, or of a bot. */
    async unassignUnseen(of: { accountId: number } | { botId: number }): Promise<void> {
      const isOf = 'botId' in of ? sql`c.bot_id = ${of.botId}` : sql`a.id = ${of.accountId}`;
      for (const table of ['chats', 'business_chats']) {
        await sql`
          update ${sql.table(table)} as c set assigned_to = null from accounts a
          where ${isOf} and c.assigned_to = a.id and not ${accountSees(sql`c.bot_id`)}`.execute(db);
      }
    },

    /** Returns the version for new sessions. */
    async endSessions(id: number): Promise<number> {
      const { session_version } = await db
        .updateTable('accounts')
        .set((row) => ({ session_version: row('session_version', '+', 1) }))
        .where('id', '=', id)
        .returning('session_version')
        .executeTakeFirstOrThrow();
      return session_version;
    },

    async remove(id: number): Promise<boolean> {
      return (await db.deleteFrom('accounts').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },

    async recordSignIn(id: number, at: Date): Promise<void> {
      await db.updateTable('accounts').set({ last_login_at: at }).where('id', '=', id).execute();
    },

    /** Ends every session of the account. Returns the version for new sessions. */
    async setPassword(id: number, password_hash: string, mustChange: boolean): Promise<number> {
      const { session_version } = await db
        .updateTable('accounts')
        .set((row) => ({
          password_hash,
          must_change_password: mustChange,
          session_version: row('session_version', '+', 1),
        }))
        .where('id', '=', id)
        .returning('session_version')
        .executeTakeFirstOrThrow();
      return session_version;
    },
  };

  function toAccount({ username_key: _key, password_hash: _hash, bot_ids, rights, ...account }: Row): Account {
    return {
      ...account,
      bot_ids: bot_ids?.map(Number) ?? NO_BOTS,
      // A later release may know others.
      rights: ACCOUNT_RIGHTS.filter((right) => rights.includes(right)),
    };
  }
}
