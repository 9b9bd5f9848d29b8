import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Role } from '@flotilla/contract/resources/account.ts';
import { refuseUnknownBot } from '../bots/refuse-unknown-bot.ts';
import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { changeCredentials } from './change-credentials.ts';
import { keyUsernames } from './key-usernames.ts';
import { hashChosenPassword } from './password.ts';
import { refuseKnownUsername } from './refuse-known-username.ts';

export interface AccountRequest {
  username: string;
  password: string;
  displayName: string;
  role: Role;
  /** null: every bot. */
  botIds: readonly number[] | null;
  mustChangePassword: boolean;
}

/** Makes an account. Throws 'conflict' for a username that is taken, 'not_found' for a bot that is not there. */
export async function addAccount(deps: AccountDeps, request: AccountRequest): Promise<Account> {
  const { username, displayName, role, botIds, mustChangePassword } = request;
  const passwordHash = await hashChosenPassword('password', request.password);
  const row = { username, passwordHash, role, allBots: botIds === null, displayName, mustChangePassword };
  await keyUsernames(deps.db);
  const added = await changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const accounts = accountStore(transaction);
      const id = await accounts.insert(row).catch(refuseKnownUsername);
      await accounts.setBots(id, botIds ?? []).catch(refuseUnknownBot);
      return accounts.findById(id);
    }),
  );
  if (added === null) throw new FlotillaError('internal', 'An account left no row');
  return added;
}
