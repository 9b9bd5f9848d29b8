import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { type ApiKey, endOfKey } from './api-key.ts';
import { apiKeyStore, type KeyReach } from './api-key-store.ts';
import { type Caller, requireAdmin } from './caller.ts';

/** The account whose keys are requested: the caller's own, or any for an admin of all bots. Throws 'forbidden' or 'not_found'. */
export async function ownerOfKeys(deps: AccountDeps, caller: Caller, accountId: number | undefined): Promise<Account> {
  if (accountId === undefined || accountId === caller.account.id) return caller.account;
  requireAdmin(caller);
  if (caller.scope.bots !== 'all') {
    throw new FlotillaError('forbidden', 'A key that is limited to some bots cannot name another account');
  }
  const account = await accountStore(deps.db).findById(accountId);
  if (account === null) throw new FlotillaError('not_found', 'Account not found');
  return account;
}

/** The limits of the keys that the caller may see: those of its own key, or null for a session, which sees all. */
export function reachOf({ apiKey }: Caller): KeyReach | null {
  return apiKey === null ? null : { ...apiKey, expires_at: endOfKey(apiKey) };
}

/** A key that the caller may manage: no wider than the caller's own, and of another account for an admin only. */
export async function manageableKey(deps: AccountDeps, caller: Caller, keyId: number): Promise<ApiKey> {
  const key = await apiKeyStore(deps.db).findById(keyId, reachOf(caller));
  const visible = key !== null && (key.account_id === caller.account.id || caller.role === 'admin');
  if (!visible) throw new FlotillaError('not_found', 'Key not found');
  return key;
}
