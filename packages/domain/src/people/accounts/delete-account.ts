import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { auditedAccount } from './audited-account.ts';
import { changeCredentials } from './change-credentials.ts';
import { type LeftToken, leftBehind } from './left-behind.ts';
import { refuseLastAdmin } from './refuse-last-admin.ts';

/**
 * Deletes an account; its keys and sessions end. Returns the tokens of programs that it made, which go on. Throws
 * 'not_found', or 'bad_request' for the last admin.
 */
export async function deleteAccount(
  deps: AccountDeps,
  by: Actor,
  id: number,
  check?: (account: Account) => void,
): Promise<LeftToken[]> {
  return changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const accounts = accountStore(transaction);
      await refuseLastAdmin(accounts, id);
      // Recorded before the deletion, because the entry names the account.
      const account = await accounts.lock(id);
      if (account === null) throw new FlotillaError('not_found', 'Account not found');
      check?.(account);
      const { tokens, inWords } = await leftBehind(transaction, account, []);
      await recordAction({ db: transaction, clock: deps.clock }, by, auditedAccount('account_delete', { id }, inWords));
      if (!(await accounts.remove(id))) throw new FlotillaError('not_found', 'Account not found');
      return tokens;
    }),
  );
}
