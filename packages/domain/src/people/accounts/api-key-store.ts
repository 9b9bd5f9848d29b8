import { apiKeyResource } from '@flotilla/contract/api-keys.ts';
import { type Row, storable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type SqlBool, sql } from 'kysely';
import type { ApiKey, NewApiKeyRow } from './api-key.ts';
import { labelledBots } from './seen-bots.ts';

/** The limits of a key. Another key within them is no wider than this one. */
export type KeyReach = Pick<ApiKey, 'role' | 'bot_ids' | 'bot_labels' | 'expires_at'>;

/** The keys of an account. With `within`, only those that are no wider than it. */
export interface KeySelection {
  accountId: number;
  within: KeyReach | null;
}

/** The state of a key's ancestors. */
type Line = { ancestors: number; ancestors_enabled: boolean; ancestors_expire_at: Date | null };
type KeyRow = Row<typeof apiKeyResource> & Line & Pick<ApiKey, 'labelled_bot_ids'>;
const ANCESTORS = sql<Line>`(
  with recursive line as (
    select p.parent_id, p.enabled, p.expires_at from api_keys p where p.id = api_keys.parent_id
    union all
    select p.parent_id, p.enabled, p.expires_at from line join api_keys p on p.id = line.parent_id)
  select count(*) as ancestors, coalesce(bool_and(enabled), true) as ancestors_enabled,
    min(expires_at) as ancestors_expire_at
  from line)`;

/** SQL of API keys. */
export function apiKeyStore(db: Database) {
  const keys = () =>
    db
      .selectFrom('api_keys')
      .innerJoinLateral(ANCESTORS.as<'line'>(sql.ref('line')), (join) => join.onTrue())
      .selectAll('api_keys')
      .select(['line.ancestors', 'line.ancestors_enabled', 'line.ancestors_expire_at'])
      .select(labelledBots('api_keys.bot_labels').as('labelled_bot_ids'));

  return {
    async findByHash(hash: string): Promise<ApiKey | null> {
      const row = await keys().where('key_hash', '=', hash).executeTakeFirst();
      return row === undefined ? null : toApiKey(row);
    },

    async findById(id: number, within: KeyReach | null): Promise<ApiKey | null> {
      const row = await keys().where('id', '=', id).where(noWiderThan(within)).executeTakeFirst();
      return row === undefined ? null : toApiKey(row);
    },

    async findByIds(ids: readonly number[]): Promise<ApiKey[]> {
      const rows = await keys().where('id', '=', sql<number>`any(${ids}::bigint[])`).execute();
      return rows.map(toApiKey);
    },

    async count({ accountId, within }: KeySelection): Promise<number> {
      const { count } = await db
        .selectFrom('api_keys')
        .select((row) => row.fn.countAll<number>().as('count'))
        .where('account_id', '=', accountId)
        .where(noWiderThan(within))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** The number of all keys of an account; another transaction that asks waits until this one has ended. */
    async countLocked(accountId: number): Promise<number> {
      await db.selectFrom('accounts').select('id').where('id', '=', accountId).forUpdate().execute();
      return this.count({ accountId, within: null });
    },

    /** The bots that have one of these labels. */
    async labelled(labels: readonly string[]): Promise<number[]> {
      const { rows } = await sql<{ id: number }>`select id from bots where labels ?| ${labels}::text[]`.execute(db);
      return rows.map(({ id }) => id);
    },

    /** Newest first. The page begins after `beforeId`. */
    async list(
      { accountId, within }: KeySelection,
      page: { limit: number; offset: number; beforeId: number | null },
    ): Promise<ApiKey[]> {
      const selected = keys().where('account_id', '=', accountId).where(noWiderThan(within));
      let query = selected.orderBy('id', 'desc').limit(page.limit).offset(page.offset);
      if (page.beforeId !== null) query = query.where('id', '<', page.beforeId);
      return (await query.execute()).map(toApiKey);
    },

    async insert(key: NewApiKeyRow): Promise<number> {
      const made = await db.insertInto('api_keys').values(rowOf(key)).returning('id').executeTakeFirstOrThrow();
      return made.id;
    },

    /** Returns null and changes nothing if the key exists already. */
    async insertIfAbsent(key: NewApiKeyRow): Promise<number | null> {
      const row = await db
        .insertInto('api_keys')
        .values(rowOf(key))
        .onConflict((conflict) => conflict.column('key_hash').doNothing())
        .returning('id')
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /** The keys that were made with this key, directly or through others. */
    async descendants(id: number): Promise<number[]> {
      const { rows } = await sql<{ id: number }>`
        with recursive line as (
          select id from api_keys where parent_id = ${id}
          union all
          select k.id from line join api_keys k on k.parent_id = line.id)
        select id from line order by id`.execute(db);
      return rows.map((row) => row.id);
    },

    /** Removes every key of a name except the one with this hash; returns the removed ones. */
    deleteNamed(name: string, exceptHash: string | null): Promise<Pick<ApiKey, 'id' | 'account_id' | 'name'>[]> {
      let query = db.deleteFrom('api_keys').where('name', '=', name);
      if (exceptHash !== null) query = query.where('key_hash', '<>', exceptHash);
      return query.returning(['id', 'account_id', 'name']).execute();
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

    /** Several processes use one key, so a row is written only when its date is a minute old. */
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

/** Compares role, bots, labels and end; null is no limit. Seeing all of the account's bots is wider than any list of bots. */
function noWiderThan(within: KeyReach | null) {
  const { role = 'admin', bot_ids = null, bot_labels = [], expires_at = null } = within ?? {};
  const conditions = [
    ...(role === 'user' ? [sql<SqlBool>`api_keys.role = 'user'`] : []),
    ...(bot_ids === null
      ? []
      : [
          sql<SqlBool>`api_keys.bot_ids::jsonb <@ ${JSON.stringify(bot_ids)}::jsonb`,
          sql<SqlBool>`api_keys.bot_labels <@ ${JSON.stringify(bot_labels)}::jsonb`,
        ]),
    ...(expires_at === null ? [] : [sql<SqlBool>`api_keys.expires_at <= ${expires_at}`]),
  ];
  // A key without a list of bots, or without an end, compares as null, so no limit includes it.
  return sql<SqlBool>`(${sql.join([sql`true`, ...conditions], sql` and `)})`;
}

const minuteBefore = (at: Date) => sql<Date>`${at}::timestamptz - interval '1 minute'`;

function rowOf({ bot_ids, ...key }: NewApiKeyRow) {
  return { ...storable(apiKeyResource, key), bot_ids: bot_ids === null ? null : JSON.stringify(bot_ids) };
}

function toApiKey({ key_hash: _hash, bot_ids, ...row }: KeyRow): ApiKey {
  const { ancestors, ancestors_enabled, ancestors_expire_at, ...key } = row;
  return {
    ...key,
    bot_ids: bot_ids === null ? null : (JSON.parse(bot_ids) as number[]),
    ancestors: { count: ancestors, enabled: ancestors_enabled, expireAt: ancestors_expire_at },
  };
}
