import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { PasswordDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { auditedAccount } from './audited-account.ts';
import { changeCredentials } from './change-credentials.ts';
import { hashChosenPassword, verifyPassword } from './password.ts';

/**
 * Sets a new password after checking the old one, and ends every session of the account. Returns the version for new
 * sessions; null when the old password is wrong. Throws 'bad_request' for a common new password.
 */
export async function changePassword(
  deps: PasswordDeps,
  by: Actor,
  accountId: number,
  passwords: { old: string; new: string },
): Promise<number | null> {
  const accounts = accountStore(deps.db);
  if (!(await verifyPassword(deps, await accounts.passwordHashOf(accountId), passwords.old))) return null;
  const passwordHash = await hashChosenPassword(deps, 'new_password', passwords.new);
  return changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const audited = auditedAccount('password_change', { id: accountId });
      await recordAction({ db: transaction, clock: deps.clock }, by, audited);
      return accountStore(transaction).setPassword(accountId, passwordHash, false);
    }),
  );
}
