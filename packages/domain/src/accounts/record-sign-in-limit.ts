import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountDeps } from './account-deps.ts';
import { findAccount } from './find-account.ts';

/** The limits of failed sign-ins that were reached. */
export type SignInLimit = 'address' | 'account';

/**
 * Leaves an audit entry when failures reached a limit. It names the account that was guessed at, and nothing where there
 * is none: what was typed for a username may be a password.
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
