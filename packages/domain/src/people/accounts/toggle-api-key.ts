import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountDeps } from './account-deps.ts';
import { apiKeyStore } from './api-key-store.ts';
import { auditedKey } from './audited-account.ts';
import type { Caller } from './caller.ts';
import { changeCredentials } from './change-credentials.ts';
import { manageableKey } from './owner-of-keys.ts';

/** Enables or disables a key; a disabled one stops working everywhere within a second. Throws 'not_found'. */
export async function toggleApiKey(
  deps: AccountDeps,
  by: Actor,
  caller: Caller,
  keyId: number,
  enabled: boolean,
): Promise<void> {
  const key = await manageableKey(deps, caller, keyId);
  const audited = auditedKey(enabled ? 'key_enable' : 'key_disable', key);
  await changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      await recordAction({ db: transaction, clock: deps.clock }, by, audited);
      await apiKeyStore(transaction).setEnabled(key.id, enabled);
    }),
  );
}
