import type { AccountResource, ApiKeyResource, OwnAccountResource } from '@flotilla/contract/resources/account.ts';
import type { Account } from '@flotilla/domain/accounts/account.ts';
import { type ApiKey, endOfKey } from '@flotilla/domain/accounts/api-key.ts';
import { type Caller, seesAllBots } from '@flotilla/domain/accounts/caller.ts';

export function presentAccount(account: Account): AccountResource {
  return {
    id: account.id,
    username: account.username,
    display_name: account.displayName,
    role: account.role,
    bot_ids: seesAllBots(account) ? null : [...account.botIds],
    must_change_password: account.mustChangePassword,
    created_at: account.createdAt.toISOString(),
    ...(account.lastLoginAt === null ? {} : { last_login_at: account.lastLoginAt.toISOString() }),
  };
}

/** The account, and with a key what that lets its holder do. */
export function presentCaller({ account, apiKey, role, bots }: Caller): OwnAccountResource {
  if (apiKey === null) return presentAccount(account);
  const { id, name } = apiKey;
  const end = endOfKey(apiKey);
  const ends = end === null ? {} : { expires_at: end.toISOString() };
  const bot_ids = bots === 'all' ? null : [...bots];
  return { ...presentAccount(account), api_key: { id, name, role, bot_ids, ...ends } };
}

export function presentApiKey(key: ApiKey): ApiKeyResource {
  return {
    id: key.id,
    user_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    role: key.role,
    bot_ids: key.botIds === null ? null : [...key.botIds],
    enabled: key.enabled,
    ...(key.expiresAt === null ? {} : { expires_at: key.expiresAt.toISOString() }),
    ...(key.parentId === null ? {} : { parent_id: key.parentId }),
    ...(key.lastUsedAt === null ? {} : { last_used_at: key.lastUsedAt.toISOString() }),
    created_at: key.createdAt.toISOString(),
  };
}
