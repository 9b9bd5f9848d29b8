import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountDeps } from './account-deps.ts';
import { apiKeyStore } from './api-key-store.ts';
import { auditedKey } from './audited-account.ts';
import type { Caller } from './caller.ts';
import { changeCredentials } from './change-credentials.ts';
import { type LeftToken, leftBehind } from './left-behind.ts';
import { manageableKey } from './owner-of-keys.ts';

/**
 * Deletes a key with those that it made; they stop working everywhere within a second. Returns the tokens of programs
 * that they made, which go on. Throws 'not_found'.
 */
export async function deleteApiKey(deps: AccountDeps, by: Actor, caller: Caller, keyId: number): Promise<LeftToken[]> {
  const key = await manageableKey(deps, caller, keyId);
  return changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const keys = apiKeyStore(transaction);
      const made = await keys.descendants(key.id);
      const withIt = made.length === 0 ? '' : `with the keys that it made: ${made.join(', ')}`;
      const { tokens, inWords } = await leftBehind(transaction, { keyIds: [key.id, ...made] }, []);
      await recordAction({ db: transaction, clock: deps.clock }, by, auditedKey('key_delete', key, withIt, inWords));
      await keys.delete(key.id);
      return tokens;
    }),
  );
}
