import type { Database } from '@flotilla/database/connect.ts';
import { accountStore } from './account-store.ts';
import { isUsernameTaken } from './refuse-known-username.ts';
import { usernameKey } from './username-key.ts';

/**
 * Sets the username key of each account that an earlier release wrote. An account whose key is taken gets none: it is
 * found by its exact spelling until somebody renames it.
 */
export async function keyUsernames(db: Database): Promise<void> {
  const accounts = accountStore(db);
  for (const { id, username } of await accounts.listUnkeyed()) {
    await accounts.keyUsername(id, username, usernameKey(username)).catch((error: unknown) => {
      if (!isUsernameTaken(error)) throw error;
    });
  }
}
