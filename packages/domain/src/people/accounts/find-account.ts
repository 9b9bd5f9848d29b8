import type { Database } from '@flotilla/database/connect.ts';
import { type AccountWithPassword, accountStore } from './account-store.ts';
import { usernameKey } from './username-key.ts';

/** The account that a username means, in any spelling. */
export async function findAccount(db: Database, username: string): Promise<AccountWithPassword | null> {
  return accountStore(db).findByUsernameKey(usernameKey(username));
}
