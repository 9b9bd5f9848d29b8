import { accountResource } from '@flotilla/contract/accounts.ts';
import { type Changes, settable } from '@flotilla/contract/resource.ts';
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
import { scopeOf } from './scope.ts';

type RowChanges = Omit<Changes<typeof accountResource>, 'password' | 'must_change_password'> & {
  /** The issuer of `oidc_subject`, if that changes. */
  oidc_issuer?: string | null | undefined;
};
/** Undefined fields keep their value. */
export type AccountChanges = RowChanges & {
  password?: { text: string; mustChange: boolean } | undefined;
  /** Deletes the API keys of the account. */
  revoke_keys?: boolean | undefined;
  /** Why, if no person asked for it. */
  reason?: string;
  /** Refuses what the change would meet. */
  check?: ((before: Account) => void) | undefined;
};

/**
 * Changes an account. A new role, password or identity ends its sessions. Throws 'not_found' (the account or a bot), 'conflict'
 * for a username that is taken, 'bad_request' if the last admin would be demoted.
 */
export async function updateAccount(
  deps: PasswordDeps,
  by: Actor,
  id: number,
  changes: AccountChanges,
  action: 'account_update' | 'password_reset' = 'account_update',
): Promise<Account> {
  const { password, revoke_keys = false, reason, check, ...rowChanges } = changes;
  const hash = password === undefined ? null : await hashChosenPassword(deps, 'password', password.text);
  return changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const before = await changeRow(transaction, id, rowChanges, check);
      const accounts = accountStore(transaction);
      if (hash !== null) await accounts.setPassword(id, hash, password?.mustChange ?? false);
      const keyIds = revoke_keys ? await keyIdsOf(transaction, id) : [];
      const { inWords: ofKeys } = await leftBehind(transaction, { keyIds }, []);
      if (revoke_keys) await apiKeyStore(transaction).deleteOf(id);
      const after = await accounts.findById(id);
      if (after === null) throw new FlotillaError('not_found', 'Account not found');
      const details = [
        describeAccountChanges(before, after),
        hash && 'password changed',
        revoke_keys && 'keys revoked',
        ofKeys,
        reason,
      ];
      if (changes.bot_ids !== undefined || changes.bot_labels !== undefined) {
        const { bots } = scopeOf(after, null);
        details.push((await leftBehind(transaction, before, bots === 'all' ? null : [...bots])).inWords);
      }
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
async function changeRow(
  transaction: Database,
  id: number,
  changes: RowChanges,
  check: AccountChanges['check'],
): Promise<Account> {
  const { role, bot_ids, bot_labels, oidc_issuer, oidc_subject } = changes;
  const accounts = accountStore(transaction);
  if (role === 'user') await refuseLastAdmin(accounts, id);
  const before = await accounts.lock(id);
  if (before === null) throw new FlotillaError('not_found', 'Account not found');
  check?.(before);
  // An admin is shown with all bots. Sent back, that must not give them to the account for when it is a user again.
  const asShown = bot_ids === null && before.role === 'admin' && (role ?? 'admin') === 'admin';
  const bots = bot_ids === undefined || asShown ? {} : { all_bots: bot_ids === null };
  const identity = oidc_subject === undefined ? {} : { oidc_issuer: oidc_issuer ?? null };
  await accounts.update(id, { ...settable(accountResource, changes), ...bots, ...identity }).catch(refuseKnownUsername);
  if (bot_ids !== undefined && !asShown) await accounts.setBots(id, bot_ids ?? []).catch(refuseUnknownBot);
  const isMoved = [role, bot_ids, bot_labels].some((given) => given !== undefined);
  if (isMoved) await accounts.unassignUnseen({ accountId: id });
  const isOthers = oidc_subject !== undefined && oidc_subject !== before.oidc_subject;
  if (isOthers || (role !== undefined && role !== before.role)) await accounts.endSessions(id);
  return before;
}
