import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { haveSameValues } from '@flotilla/runtime/same-values.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { Account } from './account.ts';
import type { PasswordDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { auditedAccount, describeNewAccount } from './audited-account.ts';
import { changeCredentials } from './change-credentials.ts';
import { findAccount } from './find-account.ts';
import type { Identity } from './identity.ts';
import { hashPassword, randomPassword } from './password.ts';
import { refuseKnownUsername } from './refuse-known-username.ts';
import { recordSignIn } from './sign-in.ts';
import { updateAccount } from './update-account.ts';

type By = Pick<Actor, 'address' | 'request'>;
/** no_account: none is linked, and none may be made. username_taken: another account has the name. */
export type IdentitySignIn = { outcome: 'signed_in'; account: Account } | { outcome: 'no_account' | 'username_taken' };

/**
 * Signs in the account of an identity. Only issuer and subject find an account: one with the same username or e-mail is never
 * taken over. A person without an account gets one if `createsAccounts`. What the provider decides is stored first.
 */
export async function signInByIdentity(
  deps: PasswordDeps,
  identity: Identity,
  createsAccounts: boolean,
  by: By,
): Promise<IdentitySignIn> {
  const store = accountStore(deps.db);
  const known = await store.findByIdentity(identity);
  if (known === null && !createsAccounts) return refused(deps, identity, by, 'no_account');
  const account = known === null ? await firstSignIn(deps, identity, by) : await follow(deps, known, identity, by);
  if (account === null) return refused(deps, identity, by, 'username_taken');
  return { outcome: 'signed_in', account: await recordSignIn(deps, account, by, 'by OIDC') };
}

/** A new account; null if another one has its username. */
async function firstSignIn(deps: PasswordDeps, identity: Identity, by: By): Promise<Account | null> {
  // A password that nobody knows: releases before this one need a hash.
  const password_hash = await deps.passwordWork(() => hashPassword(randomPassword()));
  try {
    return await changeCredentials(deps, () => insertAccount(deps, identity, password_hash, by));
  } catch (error) {
    if (!(error instanceof FlotillaError) || error.code !== 'conflict') throw error;
    // Two first sign-ins of one person at once make one account.
    return accountStore(deps.db).findByIdentity(identity);
  }
}

function insertAccount(deps: PasswordDeps, identity: Identity, password_hash: string, by: By): Promise<Account> {
  const { issuer, subject, username, display_name, role = 'user', bot_ids = [], bot_labels } = identity;
  return deps.db.transaction().execute(async (transaction) => {
    const accounts = accountStore(transaction);
    const row = { username, display_name, role, password_hash, all_bots: bot_ids === null, bot_labels };
    const id = await accounts.insert({ ...row, oidc_issuer: issuer, oidc_subject: subject }).catch(refuseKnownUsername);
    await accounts.setBots(id, bot_ids ?? []);
    const account = await accounts.findById(id);
    if (account === null) throw new FlotillaError('internal', 'Postgres returned no row of the new account');
    const audited = auditedAccount('account_add', account, describeNewAccount(account), 'at the first sign-in by OIDC');
    await recordAction({ db: transaction, clock: deps.clock }, { ...by, kind: 'nobody' }, audited);
    return account;
  });
}

/** The account with the role and the bots that the provider gives it. The last admin stays one, so that nobody is locked out. */
async function follow(deps: PasswordDeps, account: Account, identity: Identity, by: By): Promise<Account> {
  const { role = account.role, bot_ids, bot_labels } = identity;
  // An admin sees all bots, and the list for when it is a user again stays.
  const keepsBots = bot_ids === undefined || role === 'admin' || isSame({ bot_ids, bot_labels }, account);
  const changes = {
    ...(role === account.role ? {} : { role }),
    ...(keepsBots ? {} : { bot_ids, bot_labels }),
  };
  if (Object.keys(changes).length === 0) return account;
  const actor: Actor = { ...by, kind: 'account', accountId: account.id, username: account.username, keyId: null };
  const reason = 'as the identity provider says';
  return updateAccount(deps, actor, account.id, { ...changes, reason }).catch((error: unknown) => {
    if (!(error instanceof FlotillaError) || error.code !== 'bad_request') throw error;
    deps.log.warn({ accountId: account.id }, 'the identity provider demotes the last admin, who stays one');
    return account;
  });
}

type WantedBots = { bot_ids: readonly number[] | null; bot_labels: readonly string[] };

function isSame(wanted: WantedBots, { all_bots, bot_ids, bot_labels }: Account): boolean {
  if (!haveSameValues(wanted.bot_labels, bot_labels)) return false;
  if (wanted.bot_ids === null || all_bots) return wanted.bot_ids === null && all_bots;
  return haveSameValues(wanted.bot_ids, bot_ids);
}

/** The subject is named, so that an admin can link it to an account. */
async function refused(
  deps: PasswordDeps,
  { subject, username }: Identity,
  by: By,
  outcome: 'no_account' | 'username_taken',
): Promise<IdentitySignIn> {
  const target = outcome === 'no_account' ? null : ((await findAccount(deps.db, username))?.account ?? null);
  await recordAction(
    deps,
    { ...by, kind: 'nobody' },
    {
      action: 'sign_in_refuse',
      target: target && { kind: 'account', id: target.id },
      details: `by OIDC: ${outcome}; subject: ${JSON.stringify(subject)}; username: ${JSON.stringify(username)}`,
    },
  );
  return { outcome };
}
