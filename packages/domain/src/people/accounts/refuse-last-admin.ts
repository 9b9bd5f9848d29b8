import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { accountStore } from './account-store.ts';

/**
 * Throws 'bad_request' when this account is the only admin, because nobody could undo that. The store must be that of a
 * transaction: when two admins remove each other at once, the second one is refused.
 */
export async function refuseLastAdmin(accounts: ReturnType<typeof accountStore>, id: number): Promise<void> {
  const admins = await accounts.lockAdmins();
  if (admins.length > 1 || !admins.includes(id)) return;
  throw new FlotillaError('bad_request', 'This is the last admin, who can be neither deleted nor demoted');
}
