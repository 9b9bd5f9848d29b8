import type { AccountDeps } from './account-deps.ts';
import type { ApiKey } from './api-key.ts';
import { apiKeyStore } from './api-key-store.ts';
import type { Caller } from './caller.ts';
import { ownerOfKeys } from './owner-of-keys.ts';

export interface ApiKeyQuery {
  accountId?: number | undefined;
  limit: number;
  offset: number;
  beforeId: number | null;
}

/** The keys of the caller, or for an admin of any account, newest first, and how many there are. */
export async function listApiKeys(
  deps: AccountDeps,
  caller: Caller,
  query: ApiKeyQuery,
): Promise<{ keys: ApiKey[]; total: number }> {
  const owner = await ownerOfKeys(deps, caller, query.accountId);
  const store = apiKeyStore(deps.db);
  const [keys, total] = await Promise.all([store.list(owner.id, query), store.count(owner.id)]);
  return { keys, total };
}
