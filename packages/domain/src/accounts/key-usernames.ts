import type { Database } from '@flotilla/database/connect.ts';
import { accountStore } from './account-store.ts';
import { isUsernameTaken } from './refuse-known-username.ts';
import { usernameKey } from './username-key.ts';

/**
 * Gives each account that an earlier release wrote the key of its username. One that is spelt like another keeps none:
 * it is found by its own spelling until somebody renames it.
 */
export async function keyUsernames(db: Database): Promise<void> {
  const accounts = accountStore(db);
  for (const { id, username } of await accounts.listUnkeyed()) {
    await accounts.keyUsername(id, username, usernameKey(username)).catch((error: unknown) => {
      if (!isUsernameTaken(error)) throw error;
    });
  }
}
