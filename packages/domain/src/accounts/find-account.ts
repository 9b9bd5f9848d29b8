import type { Database } from '@flotilla/database/connect.ts';
import { type AccountWithPassword, accountStore } from './account-store.ts';
import { usernameKey } from './username-key.ts';

/**
 * The account that a username means, in any spelling. Two accounts of an earlier release may differ in spelling only:
 * the exact spelling is tried first, then any case, as that release did.
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
