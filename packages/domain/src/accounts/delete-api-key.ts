import type { AccountDeps } from './account-deps.ts';
import { apiKeyStore } from './api-key-store.ts';
import type { Caller } from './caller.ts';
import { changeCredentials } from './change-credentials.ts';
import { manageableKey } from './owner-of-keys.ts';

/** Deletes a key; it stops working everywhere within a second. Throws 'not_found'. */
export async function deleteApiKey(deps: AccountDeps, caller: Caller, keyId: number): Promise<void> {
  const key = await manageableKey(deps, caller, keyId);
  await changeCredentials(deps, () => apiKeyStore(deps.db).delete(key.id));
}
