import type { AccountResource, ApiKeyResource } from '@flotilla/contract/resources/account.ts';
import type { Account } from '@flotilla/domain/accounts/account.ts';
import type { ApiKey } from '@flotilla/domain/accounts/api-key.ts';
import { seesAllBots } from '@flotilla/domain/accounts/caller.ts';

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
    ...(key.lastUsedAt === null ? {} : { last_used_at: key.lastUsedAt.toISOString() }),
    created_at: key.createdAt.toISOString(),
  };
}
