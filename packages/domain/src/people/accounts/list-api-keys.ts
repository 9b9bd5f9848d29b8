import type { AccountDeps } from './account-deps.ts';
import type { ApiKey } from './api-key.ts';
import { apiKeyStore } from './api-key-store.ts';
import type { Caller } from './caller.ts';
import { ownerOfKeys, reachOf } from './owner-of-keys.ts';

export interface ApiKeyQuery {
  accountId?: number | undefined;
  limit: number;
  offset: number;
  beforeId: number | null;
}

/**
 * The caller's keys, or for an admin those of any account, newest first, with their number. A caller with a key gets
 * only keys that are no wider than it; a session gets all.
 */
export async function listApiKeys(
  deps: AccountDeps,
  caller: Caller,
  query: ApiKeyQuery,
): Promise<{ keys: ApiKey[]; total: number }> {
  const owner = await ownerOfKeys(deps, caller, query.accountId);
  const store = apiKeyStore(deps.db);
  const selection = { accountId: owner.id, within: reachOf(caller) };
  const [keys, total] = await Promise.all([store.list(selection, query), store.count(selection)]);
  return { keys, total };
}
