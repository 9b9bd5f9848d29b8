import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountDeps } from './account-deps.ts';
import { apiKeyStore } from './api-key-store.ts';
import { auditedKey } from './audited-account.ts';
import type { Caller } from './caller.ts';
import { changeCredentials } from './change-credentials.ts';
import { describeLeft } from './left-behind.ts';
import { manageableKey } from './owner-of-keys.ts';

/** Deletes a key; it stops working everywhere within a second. Throws 'not_found'. */
export async function deleteApiKey(deps: AccountDeps, by: Actor, caller: Caller, keyId: number): Promise<void> {
  const key = await manageableKey(deps, caller, keyId);
  await changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const keys = apiKeyStore(transaction);
      const made = await keys.descendants(key.id);
      const withIt = made.length === 0 ? '' : `with the keys that it made: ${made.join(', ')}`;
      const left = await describeLeft(transaction, { keyIds: [key.id, ...made] }, []);
      await recordAction({ db: transaction, clock: deps.clock }, by, auditedKey('key_delete', key, withIt, left));
      await keys.delete(key.id);
    }),
  );
}
