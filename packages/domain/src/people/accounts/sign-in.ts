import { auditStore } from '../audit/audit-store.ts';
import { recordAction } from '../audit/record-action.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Account } from './account.ts';
import type { PasswordDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { findAccount } from './find-account.ts';
import { verifyPassword } from './password.ts';

/** The account for a correct username and password, with an audit entry; else null. Both take the same time. */
export async function signIn(
  deps: PasswordDeps,
  given: { username: string; password: string },
  address: string | null,
): Promise<Account | null> {
  const found = await findAccount(deps.db, given.username);
  const matches = await verifyPassword(deps, found?.passwordHash ?? null, given.password);
  if (!matches || found === null) return null;
  const { id: accountId, username } = found.account;
  const at = new Date(deps.clock.nowMs());
  await deps.db.transaction().execute(async (transaction) => {
    await accountStore(transaction).recordSignIn(accountId, at);
    const by = { kind: 'account', accountId, username, keyId: null, address } as const;
    if (address !== null && (await auditStore(transaction).isNewAddress(accountId, address))) {
      const text = `${username} signed in from ${address}`;
      await recordEvent(transaction, { kind: 'sign_in.new_address', botId: null, text });
    }
    await recordAction({ db: transaction, clock: deps.clock }, by, { action: 'sign_in' });
  });
  return { ...found.account, lastLoginAt: at };
}
