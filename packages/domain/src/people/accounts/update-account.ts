import type { AccountRight } from '@flotilla/contract/account-rights.ts';
import type { Role } from '@flotilla/contract/accounts.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { Account } from './account.ts';
import type { PasswordDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { apiKeyStore } from './api-key-store.ts';
import { auditedAccount, describeAccountChanges } from './audited-account.ts';
import { changeCredentials } from './change-credentials.ts';
import { leftBehind } from './left-behind.ts';
import { hashChosenPassword } from './password.ts';
import { refuseKnownUsername } from './refuse-known-username.ts';
import { refuseLastAdmin } from './refuse-last-admin.ts';
import { refuseUnknownBot } from './refuse-unknown-bot.ts';

/** Undefined fields keep their value. */
export interface AccountChanges {
  username?: string | undefined;
  displayName?: string | undefined;
  role?: Role | undefined;
  /** null: every bot. */
  botIds?: readonly number[] | null | undefined;
  rights?: readonly AccountRight[] | undefined;
  password?: { text: string; mustChange: boolean } | undefined;
  /** Deletes the API keys of the account. */
  revokeKeys?: boolean | undefined;
}

type RowChanges = Omit<AccountChanges, 'password' | 'revokeKeys'>;

/**
 * Changes an account. A new role or password ends its sessions. Throws 'not_found' (the account or a bot), 'conflict'
 * for a username that is taken, 'bad_request' if the last admin would be demoted.
 */
export async function updateAccount(
  deps: PasswordDeps,
  by: Actor,
  id: number,
  changes: AccountChanges,
  action: 'account_update' | 'password_reset' = 'account_update',
): Promise<Account> {
  const { password, revokeKeys = false, ...rowChanges } = changes;
  const { botIds } = rowChanges;
  const hash = password === undefined ? null : await hashChosenPassword(deps, 'password', password.text);
  return changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const before = await changeRow(transaction, id, rowChanges);
      const accounts = accountStore(transaction);
      if (hash !== null) await accounts.setPassword(id, hash, password?.mustChange ?? false);
      const keyIds = revokeKeys ? await keyIdsOf(transaction, id) : [];
      const { inWords: ofKeys } = await leftBehind(transaction, { keyIds }, []);
      if (revokeKeys) await apiKeyStore(transaction).deleteOf(id);
      const after = await accounts.findById(id);
      if (after === null) throw new FlotillaError('not_found', 'Account not found');
      const details = [
        describeAccountChanges(before, after),
        hash && 'password changed',
        revokeKeys && 'keys revoked',
        ofKeys,
      ];
      if (botIds !== undefined) details.push((await leftBehind(transaction, before, after.botIds)).inWords);
      const audited = auditedAccount(action, after, ...details.filter((part) => typeof part === 'string'));
      await recordAction({ db: transaction, clock: deps.clock }, by, audited);
      return after;
    }),
  );
}

async function keyIdsOf(transaction: Database, accountId: number): Promise<number[]> {
  const keys = transaction.selectFrom('api_keys').select('id').where('account_id', '=', accountId);
  return (await keys.execute()).map(({ id }) => id);
}

/** Returns the account as it was before. */
async function changeRow(transaction: Database, id: number, changes: RowChanges): Promise<Account> {
  const { username, displayName, role, botIds, rights } = changes;
  const accounts = accountStore(transaction);
  if (role === 'user') await refuseLastAdmin(accounts, id);
  const before = await accounts.findById(id);
  if (before === null) throw new FlotillaError('not_found', 'Account not found');
  // An admin is shown with all bots. Sent back, that must not give them to the account for when it is a user again.
  const asShown = botIds === null && before.role === 'admin' && (role ?? 'admin') === 'admin';
  const allBots = botIds === undefined || asShown ? undefined : botIds === null;
  await accounts.update(id, { username, displayName, role, allBots, rights }).catch(refuseKnownUsername);
  if (botIds !== undefined && !asShown) await accounts.setBots(id, botIds ?? []).catch(refuseUnknownBot);
  if (role !== undefined || botIds !== undefined) await accounts.unassignUnseen(id);
  if (role !== undefined && role !== before.role) await accounts.endSessions(id);
  return before;
}
