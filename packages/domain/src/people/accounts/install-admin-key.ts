import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { OPERATOR } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountDeps } from './account-deps.ts';
import { type NewApiKeyRow, shownPrefix } from './api-key.ts';
import { apiKeyStore } from './api-key-store.ts';
import { auditedKey, auditedNewKey } from './audited-account.ts';
import { changeCredentials } from './change-credentials.ts';
import { findAccount } from './find-account.ts';

/** The name of the key that ADMIN_API_KEY sets. No other key may have it. */
export const ADMIN_KEY_NAME = 'ADMIN_API_KEY';
const BY_SETTING = 'by the setting, at start';

/**
 * Makes ADMIN_API_KEY a key of the first admin's account. Revokes the key of an earlier value, with every key that was
 * made with it. Returns 'no-account' when no admin has that username.
 */
export async function installAdminKey(
  deps: AccountDeps,
  setting: { username: string; key: string | undefined },
): Promise<'installed' | 'removed' | 'unchanged' | 'no-account'> {
  const { username, key } = setting;
  if (key === undefined) return removeAdminKey(deps);
  const found = await findAccount(deps.db, username);
  if (found === null || found.account.role !== 'admin') return 'no-account';
  await replaceAdminKey(deps, {
    account_id: found.account.id,
    name: ADMIN_KEY_NAME,
    key_hash: sha256Hex(key),
    key_prefix: shownPrefix(key),
    role: 'admin',
    bot_ids: null,
    bot_labels: [],
    mcp: null,
    mcp_chats: null,
    expires_at: null,
    parent_id: null,
  });
  return 'installed';
}

async function removeAdminKey(deps: AccountDeps): Promise<'removed' | 'unchanged'> {
  const removed = await replaceAdminKey(deps, null);
  return removed > 0 ? 'removed' : 'unchanged';
}

/** Returns the number of removed keys. Of several processes that start at once, only one removes any. */
function replaceAdminKey(deps: AccountDeps, wanted: NewApiKeyRow | null): Promise<number> {
  return changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const keys = apiKeyStore(transaction);
      const removed = await keys.deleteNamed(ADMIN_KEY_NAME, wanted?.key_hash ?? null);
      const addedId = wanted && (await keys.insertIfAbsent(wanted));
      const added = wanted && addedId && { ...wanted, id: addedId };
      const actions = [
        ...removed.map((key) => auditedKey('key_delete', key, BY_SETTING)),
        ...(added ? [auditedNewKey(added, BY_SETTING)] : []),
      ];
      for (const action of actions) await recordAction({ db: transaction, clock: deps.clock }, OPERATOR, action);
      return removed.length;
    }),
  );
}
