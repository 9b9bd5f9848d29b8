import type { AccountRight } from '@flotilla/contract/account-rights.ts';
import type { Role } from '@flotilla/contract/accounts.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { Account } from './account.ts';
import type { PasswordDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { auditedAccount, describeNewAccount } from './audited-account.ts';
import { changeCredentials } from './change-credentials.ts';
import { hashChosenPassword } from './password.ts';
import { refuseKnownUsername } from './refuse-known-username.ts';
import { refuseUnknownBot } from './refuse-unknown-bot.ts';

export interface AccountRequest {
  username: string;
  password: string;
  displayName: string;
  role: Role;
  /** null: every bot. */
  botIds: readonly number[] | null;
  rights: readonly AccountRight[];
  mustChangePassword: boolean;
}

/** Makes an account. Throws 'conflict' for a username that is taken, 'not_found' for a bot that does not exist. */
export async function addAccount(deps: PasswordDeps, by: Actor, request: AccountRequest): Promise<Account> {
  const { username, displayName, role, botIds, rights, mustChangePassword } = request;
  const passwordHash = await hashChosenPassword(deps, 'password', request.password);
  const row = { username, passwordHash, role, allBots: botIds === null, displayName, rights, mustChangePassword };
  return changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const accounts = accountStore(transaction);
      const id = await accounts.insert(row).catch(refuseKnownUsername);
      await accounts.setBots(id, botIds ?? []).catch(refuseUnknownBot);
      const account = await accounts.findById(id);
      if (account === null) throw new FlotillaError('internal', 'Postgres returned no row of the new account');
      const audited = auditedAccount('account_add', account, describeNewAccount(account));
      await recordAction({ db: transaction, clock: deps.clock }, by, audited);
      return account;
    }),
  );
}
