import type { AccountDeps } from './account-deps.ts';
import { apiKeyStore } from './api-key-store.ts';
import type { Caller } from './caller.ts';
import { changeCredentials } from './change-credentials.ts';
import { manageableKey } from './owner-of-keys.ts';

/** Enables or disables a key; a disabled one stops working everywhere within a second. Throws 'not_found'. */
export async function toggleApiKey(deps: AccountDeps, caller: Caller, keyId: number, enabled: boolean): Promise<void> {
  const key = await manageableKey(deps, caller, keyId);
  await changeCredentials(deps, () => apiKeyStore(deps.db).setEnabled(key.id, enabled));
}
