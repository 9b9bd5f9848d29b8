import type { Role } from '@flotilla/contract/resources/account.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { ApiKeysTable } from '@flotilla/database/tables.ts';
import { type Selectable, sql } from 'kysely';
import type { ApiKey } from './api-key.ts';

export interface NewApiKeyRow {
  accountId: number;
  name: string;
  keyHash: string;
  prefix: string;
  role: Role;
  botIds: readonly number[] | null;
  expiresAt: Date | null;
}

/** SQL of API keys. */
export function apiKeyStore(db: Database) {
  const keysOf = (accountId: number) => db.selectFrom('api_keys').where('account_id', '=', accountId);

  return {
    async findByHash(hash: string): Promise<ApiKey | null> {
      const row = await db.selectFrom('api_keys').selectAll().where('key_hash', '=', hash).executeTakeFirst();
      return row === undefined ? null : toApiKey(row);
    },

    async findById(id: number): Promise<ApiKey | null> {
      const row = await db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toApiKey(row);
    },

    async findByIds(ids: readonly number[]): Promise<ApiKey[]> {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('id', '=', sql<number>`any(${ids}::bigint[])`)
        .execute();
      return rows.map(toApiKey);
    },

    async count(accountId: number): Promise<number> {
      const { count } = await keysOf(accountId)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** Newest first; `beforeId` starts after that key. */
    async list(accountId: number, page: { limit: number; offset: number; beforeId: number | null }): Promise<ApiKey[]> {
      let query = keysOf(accountId).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset);
      if (page.beforeId !== null) query = query.where('id', '<', page.beforeId);
      return (await query.execute()).map(toApiKey);
    },

    async insert(key: NewApiKeyRow): Promise<ApiKey> {
      return toApiKey(await db.insertInto('api_keys').values(rowOf(key)).returningAll().executeTakeFirstOrThrow());
    },

    /** A key that exists already, whoever made it, stays as it is. */
    async insertIfAbsent(key: NewApiKeyRow): Promise<void> {
      await db
        .insertInto('api_keys')
        .values(rowOf(key))
        .onConflict((conflict) => conflict.column('key_hash').doNothing())
        .execute();
    },

    /** Removes every key of a name except the one with this hash. */
    async deleteNamed(name: string, exceptHash: string | null): Promise<number> {
      let query = db.deleteFrom('api_keys').where('name', '=', name);
      if (exceptHash !== null) query = query.where('key_hash', '<>', exceptHash);
      return Number((await query.executeTakeFirst()).numDeletedRows);
    },

    /** Removes every key of an account. */
    async deleteOf(accountId: number): Promise<void> {
      await db.deleteFrom('api_keys').where('account_id', '=', accountId).execute();
    },

    async setEnabled(id: number, enabled: boolean): Promise<void> {
      await db.updateTable('api_keys').set({ enabled }).where('id', '=', id).execute();
    },

    async delete(id: number): Promise<void> {
      await db.deleteFrom('api_keys').where('id', '=', id).execute();
    },

    /** Several pods use one key: a row is written again only when its date is a minute old. */
    async recordUse(id: number, at: Date): Promise<void> {
      await db
        .updateTable('api_keys')
        .set({ last_used_at: at })
        .where('id', '=', id)
        .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', minuteBefore(at))]))
        .execute();
    },
  };
}

const minuteBefore = (at: Date) => sql<Date>`${at}::timestamptz - interval '1 minute'`;

function rowOf(key: NewApiKeyRow) {
  return {
    account_id: key.accountId,
    name: key.name,
    key_hash: key.keyHash,
    key_prefix: key.prefix,
    role: key.role,
    bot_ids: key.botIds === null ? null : JSON.stringify(key.botIds),
    expires_at: key.expiresAt,
  };
}

function toApiKey(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    prefix: row.key_prefix,
    role: row.role,
    botIds: row.bot_ids === null ? null : (JSON.parse(row.bot_ids) as number[]),
    enabled: row.enabled,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
  };
}
