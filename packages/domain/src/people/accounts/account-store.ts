import { ACCOUNT_RIGHTS, type AccountRight } from '@flotilla/contract/account-rights.ts';
import type { Role } from '@flotilla/contract/accounts.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import type { Account } from './account.ts';
import { usernameKey } from './username-key.ts';

const NO_BOTS: readonly number[] = [];

export interface NewAccount {
  username: string;
  passwordHash: string;
  role: Role;
  allBots: boolean;
  displayName?: string;
  rights?: readonly AccountRight[];
  mustChangePassword?: boolean;
}

export interface AccountWithPassword {
  account: Account;
  passwordHash: string;
}

/** Undefined fields keep their value. */
export interface AccountRowChanges {
  username?: string | undefined;
  displayName?: string | undefined;
  role?: Role | undefined;
  allBots?: boolean | undefined;
  rights?: readonly AccountRight[] | undefined;
}

const jsonb = (rights: readonly AccountRight[]) => sql<string[]>`${JSON.stringify(rights)}::jsonb`;

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

    async findByIds(ids: readonly number[]): Promise<Account[]> {
      const rows = await accounts().where('accounts.id', '=', sql<number>`any(${ids}::bigint[])`).execute();
      return rows.map(toAccount);
    },

    async findByUsernameKey(key: string): Promise<AccountWithPassword | null> {
      const row = await accounts().where('username_key', '=', key).executeTakeFirst();
      return row === undefined ? null : { account: toAccount(row), passwordHash: row.password_hash };
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
        .values({
          username: account.username,
          username_key: usernameKey(account.username),
          password_hash: account.passwordHash,
          role: account.role,
          all_bots: account.allBots,
          display_name: account.displayName ?? '',
          ...(account.rights === undefined ? {} : { rights: jsonb(account.rights) }),
          must_change_password: account.mustChangePassword ?? false,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },

    async update(id: number, changes: AccountRowChanges): Promise<void> {
      const named = Object.entries({
        username: changes.username,
        username_key: changes.username && usernameKey(changes.username),
        display_name: changes.displayName,
        role: changes.role,
        all_bots: changes.allBots,
        rights: changes.rights && jsonb(changes.rights),
      }).filter(([, value]) => value !== undefined);
      if (named.length === 0) return;
      await db.updateTable('accounts').set(Object.fromEntries(named)).where('id', '=', id).execute();
    },

    /** Sets the bots that the account sees, unless it sees all. */
    async setBots(id: number, botIds: readonly number[]): Promise<void> {
      await db.deleteFrom('account_bots').where('account_id', '=', id).execute();
      const rows = [...new Set(botIds)].map((botId) => ({ account_id: id, bot_id: botId }));
      if (rows.length > 0) await db.insertInto('account_bots').values(rows).execute();
    },

    /** Takes the chats of bots that it does not see away from the account. */
    async unassignUnseen(id: number): Promise<void> {
      for (const table of ['chats', 'business_chats']) {
        await sql`
          update ${sql.table(table)} as c set assigned_to = null from accounts a
          where a.id = ${id} and c.assigned_to = a.id and a.role <> 'admin' and not a.all_bots
            and c.bot_id not in (select bot_id from account_bots where account_id = a.id)`.execute(db);
      }
    },

    async endSessions(id: number): Promise<void> {
      await db
        .updateTable('accounts')
        .set((row) => ({ session_version: row('session_version', '+', 1) }))
        .where('id', '=', id)
        .execute();
    },

    async remove(id: number): Promise<boolean> {
      return (await db.deleteFrom('accounts').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },

    async recordSignIn(id: number, at: Date): Promise<void> {
      await db.updateTable('accounts').set({ last_login_at: at }).where('id', '=', id).execute();
    },

    /** Ends every session of the account. Returns the version for new sessions. */
    async setPassword(id: number, passwordHash: string, mustChange: boolean): Promise<number> {
      const { session_version } = await db
        .updateTable('accounts')
        .set((row) => ({
          password_hash: passwordHash,
          must_change_password: mustChange,
          session_version: row('session_version', '+', 1),
        }))
        .where('id', '=', id)
        .returning('session_version')
        .executeTakeFirstOrThrow();
      return session_version;
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
      // A later release may know others.
      rights: ACCOUNT_RIGHTS.filter((right) => row.rights.includes(right)),
      mustChangePassword: row.must_change_password,
      sessionVersion: row.session_version,
      createdAt: row.created_at,
      lastLoginAt: row.last_login_at,
    };
  }
}
