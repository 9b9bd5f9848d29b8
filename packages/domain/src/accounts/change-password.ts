import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { auditedAccount } from './audited-account.ts';
import { changeCredentials } from './change-credentials.ts';
import { hashChosenPassword, verifyPassword } from './password.ts';

/**
 * Sets a new password after checking the old one, and ends every session of the account. Returns the version for new
 * sessions. Throws 'bad_request' when the old password is wrong, or the new one is the old one or a common one.
 */
export async function changePassword(
  deps: AccountDeps,
  by: Actor,
  accountId: number,
  passwords: { old: string; new: string },
): Promise<number> {
  const accounts = accountStore(deps.db);
  if (!(await verifyPassword(await accounts.passwordHashOf(accountId), passwords.old))) {
    throw refusedInput('old_password', 'is not the password of this account');
  }
  if (passwords.new === passwords.old) throw refusedInput('new_password', 'must differ from the old password');
  const passwordHash = await hashChosenPassword('new_password', passwords.new);
  return changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const audited = auditedAccount('password_change', { id: accountId });
      await recordAction({ db: transaction, clock: deps.clock }, by, audited);
      return accountStore(transaction).setPassword(accountId, passwordHash, false);
    }),
  );
}
