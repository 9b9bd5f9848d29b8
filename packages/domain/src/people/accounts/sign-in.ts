import { doOnce } from '@flotilla/redis/allow-once.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { Actor } from '../audit/actor.ts';
import { auditStore } from '../audit/audit-store.ts';
import { recordAction } from '../audit/record-action.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Account } from './account.ts';
import type { AccountDeps, PasswordDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { auditedAccount } from './audited-account.ts';
import { findAccount } from './find-account.ts';
import { verifyPassword } from './password.ts';
import { type FactorDeps, type GivenProof, proveSecondFactor } from './second-factor.ts';

/** refused: the username or the password is wrong. code_needed, code_wrong: they are right, and the second factor is not. */
export type PasswordSignIn =
  | { outcome: 'signed_in'; account: Account; secondFactor: boolean }
  | { outcome: 'refused' | 'code_needed' | 'code_wrong' };

/** Signs in with a password, and a second factor if the account has one, with an audit entry. An unknown name takes as long as a wrong password. */
export async function signIn(
  deps: PasswordDeps & FactorDeps,
  given: { username: string; password: string } & GivenProof,
  by: Pick<Actor, 'address' | 'request'>,
): Promise<PasswordSignIn> {
  const found = await findAccount(deps.db, given.username);
  const matches = await verifyPassword(deps, found?.passwordHash ?? null, given.password);
  if (!matches || found === null) return { outcome: 'refused' };
  const proof = await proveSecondFactor(deps, found.account.id, given);
  if (proof === 'needed' || proof === 'wrong') {
    await recordRightPassword(deps, found.account, by);
    return { outcome: `code_${proof}` };
  }
  const account = await recordSignIn(deps, found.account, by, WORDS[proof]);
  return { outcome: 'signed_in', account, secondFactor: proof !== 'none' };
}

const BEGUN_AGAIN_MS = 60_000;

const WORDS = {
  none: '',
  code: 'with a code',
  passkey: 'with a passkey',
  recovery_code: 'with a recovery code',
} as const;

/**
 * Adds an audit entry where the password was right and a second factor is still missing, at most once a minute and address: whoever has
 * the password could fill the log.
 */
export async function recordRightPassword(
  { redis, ...deps }: Pick<AccountDeps, 'db' | 'redis' | 'clock'>,
  { id }: Pick<Account, 'id'>,
  by: Pick<Actor, 'address' | 'request'>,
): Promise<void> {
  const begun = authKeys.signInBegun(id, sha256Hex(by.address ?? ''));
  await doOnce(redis, begun, BEGUN_AGAIN_MS, () =>
    recordAction(deps, { ...by, kind: 'nobody' }, auditedAccount('sign_in_begin', { id })),
  );
}

/** Ends the link of the account, and stores that it signed in, with an audit entry, and an event if it is from a new address. */
export async function recordSignIn(
  deps: Pick<AccountDeps, 'db' | 'redis' | 'clock'>,
  account: Account,
  { address, request }: Pick<Actor, 'address' | 'request'>,
  details = '',
): Promise<Account> {
  const { id: accountId, username } = account;
  await deps.redis.commands.del(authKeys.signInLinkOf(accountId));
  const at = new Date(deps.clock.nowMs());
  await deps.db.transaction().execute(async (transaction) => {
    await accountStore(transaction).recordSignIn(accountId, at);
    const by = { kind: 'account', accountId, username, keyId: null, address, request } as const;
    if (address !== null && (await auditStore(transaction).isNewAddress(accountId, address))) {
      const text = `${username} signed in from ${address}`;
      await recordEvent(transaction, {
        kind: 'sign_in.new_address',
        bot_id: null,
        by,
        text,
      });
    }
    await recordAction({ db: transaction, clock: deps.clock }, by, { action: 'sign_in', details });
  });
  return { ...account, last_login_at: at };
}
