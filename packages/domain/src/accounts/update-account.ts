import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Role } from '@flotilla/contract/resources/account.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { refuseUnknownBot } from '../bots/refuse-unknown-bot.ts';
import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { apiKeyStore } from './api-key-store.ts';
import { changeCredentials } from './change-credentials.ts';
import { keyUsernames } from './key-usernames.ts';
import { hashChosenPassword } from './password.ts';
import { refuseKnownUsername } from './refuse-known-username.ts';
import { refuseLastAdmin } from './refuse-last-admin.ts';

/** What is undefined stays as it is. */
export interface AccountChanges {
  username?: string | undefined;
  displayName?: string | undefined;
  role?: Role | undefined;
  /** null: every bot. */
  botIds?: readonly number[] | null | undefined;
  password?: { text: string; mustChange: boolean } | undefined;
  /** Deletes the API keys of the account. */
  revokeKeys?: boolean | undefined;
}

type RowChanges = Omit<AccountChanges, 'password' | 'revokeKeys'>;

/**
 * Changes an account; another role or password ends its sessions. Throws 'not_found' (the account or a bot),
 * 'conflict' for a username that is taken, 'bad_request' when it would demote the last admin.
 */
export async function updateAccount(deps: AccountDeps, id: number, changes: AccountChanges): Promise<Account> {
  const { password, revokeKeys = false, ...rowChanges } = changes;
  const hash = password === undefined ? null : await hashChosenPassword('password', password.text);
  if (rowChanges.username !== undefined) await keyUsernames(deps.db);
  const changed = await changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      await changeRow(transaction, id, rowChanges);
      const accounts = accountStore(transaction);
      if (hash !== null) await accounts.setPassword(id, hash, password?.mustChange ?? false);
      if (revokeKeys) await apiKeyStore(transaction).deleteOf(id);
      return accounts.findById(id);
    }),
  );
  if (changed === null) throw new FlotillaError('not_found', 'Account not found');
  return changed;
}

async function changeRow(transaction: Database, id: number, changes: RowChanges): Promise<void> {
  const { username, displayName, role, botIds } = changes;
  const accounts = accountStore(transaction);
  if (role === 'user') await refuseLastAdmin(accounts, id);
  const before = await accounts.findById(id);
  if (before === null) throw new FlotillaError('not_found', 'Account not found');
  const allBots = botIds === undefined ? undefined : botIds === null;
  await accounts.update(id, { username, displayName, role, allBots }).catch(refuseKnownUsername);
  if (botIds !== undefined) await accounts.setBots(id, botIds ?? []).catch(refuseUnknownBot);
  if (role !== undefined && role !== before.role) await accounts.endSessions(id);
}
