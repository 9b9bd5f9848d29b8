import type { Role } from '@flotilla/contract/accounts.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { ApiKeysTable } from '@flotilla/database/tables.ts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { ApiKey, McpReach } from './api-key.ts';

export interface NewApiKeyRow {
  accountId: number;
  name: string;
  keyHash: string;
  prefix: string;
  role: Role;
  botIds: readonly number[] | null;
  mcp: McpReach | null;
  expiresAt: Date | null;
  parentId: number | null;
}

/** The limits of a key. Another key within them is no wider than this one. */
export type KeyReach = Pick<ApiKey, 'role' | 'botIds' | 'expiresAt'>;

/** The keys of an account. With `within`, only those that are no wider than it. */
export interface KeySelection {
  accountId: number;
  within: KeyReach | null;
}

/** The state of a key's ancestors. */
type Line = { ancestors: number; ancestors_enabled: boolean; ancestors_expire_at: Date | null };
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
      .select(['line.ancestors', 'line.ancestors_enabled', 'line.ancestors_expire_at']);

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
    async deleteNamed(name: string, exceptHash: string | null): Promise<Pick<ApiKey, 'id' | 'accountId' | 'name'>[]> {
      let query = db.deleteFrom('api_keys').where('name', '=', name);
      if (exceptHash !== null) query = query.where('key_hash', '<>', exceptHash);
      const removed = await query.returning(['id', 'account_id']).execute();
      return removed.map(({ id, account_id: accountId }) => ({ id, accountId, name }));
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

/** Compares role, bots and end; null is no limit. Seeing all of the account's bots is wider than any list of bots. */
function noWiderThan(within: KeyReach | null) {
  const { role = 'admin', botIds = null, expiresAt = null } = within ?? {};
  const conditions = [
    ...(role === 'user' ? [sql<SqlBool>`api_keys.role = 'user'`] : []),
    ...(botIds === null ? [] : [sql<SqlBool>`api_keys.bot_ids::jsonb <@ ${JSON.stringify(botIds)}::jsonb`]),
    ...(expiresAt === null ? [] : [sql<SqlBool>`api_keys.expires_at <= ${expiresAt}`]),
  ];
  // A key without a list of bots, or without an end, compares as null, so no limit includes it.
  return sql<SqlBool>`(${sql.join([sql`true`, ...conditions], sql` and `)})`;
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
    mcp: key.mcp?.right ?? null,
    mcp_chats: key.mcp === null ? null : chatsOf(key.mcp),
    expires_at: key.expiresAt,
    parent_id: key.parentId,
  };
}

function chatsOf({ chats }: McpReach) {
  const rows = chats.map(({ botId, chatId }) => ({ bot_id: botId, chat_id: chatId }));
  return sql<typeof rows>`${JSON.stringify(rows)}::jsonb`;
}

function mcpOf({ mcp, mcp_chats: chats }: Pick<Selectable<ApiKeysTable>, 'mcp' | 'mcp_chats'>): McpReach | null {
  if (mcp === null) return null;
  return { right: mcp, chats: (chats ?? []).map((chat) => ({ botId: chat.bot_id, chatId: chat.chat_id })) };
}

function toApiKey(row: Selectable<ApiKeysTable> & Line): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    prefix: row.key_prefix,
    role: row.role,
    botIds: row.bot_ids === null ? null : (JSON.parse(row.bot_ids) as number[]),
    mcp: mcpOf(row),
    enabled: row.enabled,
    expiresAt: row.expires_at,
    parentId: row.parent_id,
    ancestors: { count: row.ancestors, enabled: row.ancestors_enabled, expireAt: row.ancestors_expire_at },
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
  };
}
