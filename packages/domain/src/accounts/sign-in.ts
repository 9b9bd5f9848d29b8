import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { findAccount } from './find-account.ts';
import { verifyPassword } from './password.ts';

/** The account of a right username and password, else null; both take the same time. */
export async function signIn(
  deps: AccountDeps,
  given: { username: string; password: string },
): Promise<Account | null> {
  const accounts = accountStore(deps.db);
  const found = await findAccount(deps.db, given.username);
  const matches = await verifyPassword(found?.passwordHash ?? null, given.password);
  if (!matches || found === null) return null;
  const at = new Date(deps.clock.nowMs());
  await accounts.recordSignIn(found.account.id, at);
  return { ...found.account, lastLoginAt: at };
}
