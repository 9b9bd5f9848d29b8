import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountDeps } from './account-deps.ts';
import { findAccount } from './find-account.ts';

/** The kinds of limits of failed sign-ins. */
export type SignInLimit = 'address' | 'account';

/**
 * Adds an audit entry when failed sign-ins reached a limit. It names the account if one exists, and never the text that
 * was typed as a username, because that may be a password.
 */
export async function recordSignInLimit(
  deps: Pick<AccountDeps, 'db' | 'clock'>,
  by: Actor,
  username: string,
  reached: readonly SignInLimit[],
): Promise<void> {
  if (reached.length === 0) return;
  const found = await findAccount(deps.db, username);
  const target = found && ({ kind: 'account', id: found.account.id } as const);
  const details = reached.map((limit) => `of the ${limit}`).join('; ');
  await recordAction(deps, by, { action: 'sign_in_limit', target, details });
}
