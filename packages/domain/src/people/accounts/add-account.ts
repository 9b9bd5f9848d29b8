import type { accountResource } from '@flotilla/contract/accounts.ts';
import type { Additions } from '@flotilla/contract/resource.ts';
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

/** Makes an account. Throws 'conflict' for a username that is taken, 'not_found' for a bot that does not exist. */
export async function addAccount(
  deps: PasswordDeps,
  by: Actor,
  { password, bot_ids, ...wanted }: Additions<typeof accountResource> & { oidc_issuer: string | null },
): Promise<Account> {
  const password_hash = await hashChosenPassword(deps, 'password', password);
  return changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const accounts = accountStore(transaction);
      const id = await accounts
        .insert({ ...wanted, password_hash, all_bots: bot_ids === null })
        .catch(refuseKnownUsername);
      await accounts.setBots(id, bot_ids ?? []).catch(refuseUnknownBot);
      const account = await accounts.findById(id);
      if (account === null) throw new FlotillaError('internal', 'Postgres returned no row of the new account');
      const audited = auditedAccount('account_add', account, describeNewAccount(account));
      await recordAction({ db: transaction, clock: deps.clock }, by, audited);
      return account;
    }),
  );
}
