import type { Database } from '@flotilla/database/connect.ts';
import { type AccountWithPassword, accountStore } from './account-store.ts';
import { usernameKey } from './username-key.ts';

/**
 * The account that a username means, in whatever spelling. Accounts that an earlier release made, two of which may be
 * spelt alike, are meant by their own spelling first, then in any case, as that release took it.
 */
export async function findAccount(db: Database, username: string): Promise<AccountWithPassword | null> {
  const key = usernameKey(username);
  const found = await accountStore(db).listByUsernameKey(key);
  const named = (isMeant: (candidate: AccountWithPassword) => boolean) => found.find(isMeant);
  return (
    named(({ account }) => account.username === username) ??
    named(({ account, key: own }) => own === null && account.username.toLowerCase() === username.toLowerCase()) ??
    named(({ key: own }) => own === key) ??
    named(({ account }) => usernameKey(account.username) === key) ??
    null
  );
}
