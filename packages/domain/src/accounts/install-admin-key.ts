import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { AccountDeps } from './account-deps.ts';
import { shownPrefix } from './api-key.ts';
import { apiKeyStore } from './api-key-store.ts';
import { changeCredentials } from './change-credentials.ts';
import { findAccount } from './find-account.ts';

/** The name that the key of the ADMIN_API_KEY setting has; no other key may take it. */
export const ADMIN_KEY_NAME = 'ADMIN_API_KEY';

/**
 * Makes ADMIN_API_KEY a key of the first admin's account, and revokes what an earlier value of the setting left, with
 * every key that was made with it.
 * 'no-account' when no admin has that username.
 */
export async function installAdminKey(
  deps: AccountDeps,
  setting: { username: string; key: string | undefined },
): Promise<'installed' | 'removed' | 'unchanged' | 'no-account'> {
  const { username, key } = setting;
  if (key === undefined) return removeAdminKey(deps);
  const found = await findAccount(deps.db, username);
  if (found === null || found.account.role !== 'admin') return 'no-account';
  const keys = apiKeyStore(deps.db);
  const row = {
    accountId: found.account.id,
    name: ADMIN_KEY_NAME,
    keyHash: sha256Hex(key),
    prefix: shownPrefix(key),
    role: 'admin' as const,
    botIds: null,
    expiresAt: null,
    parentId: null,
  };
  await changeCredentials(deps, async () => {
    await keys.deleteNamed(ADMIN_KEY_NAME, row.keyHash);
    await keys.insertIfAbsent(row);
  });
  return 'installed';
}

async function removeAdminKey(deps: AccountDeps): Promise<'removed' | 'unchanged'> {
  const removed = await changeCredentials(deps, () => apiKeyStore(deps.db).deleteNamed(ADMIN_KEY_NAME, null));
  return removed > 0 ? 'removed' : 'unchanged';
}
