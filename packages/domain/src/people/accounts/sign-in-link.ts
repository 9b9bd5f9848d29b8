import { randomBytes } from 'node:crypto';
import { authKeys } from '@flotilla/redis/keys.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { type Actor, OPERATOR } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { auditedAccount } from './audited-account.ts';
import { recordSignIn } from './sign-in.ts';

const ENDS_AFTER_MS = 15 * 60_000;
const TOKEN_BYTES = 32;

type LinkDeps = Pick<AccountDeps, 'db' | 'redis' | 'clock'>;
type Linked = { accountId: number; sessionVersion: number };

/**
 * The token of a link that signs the account in once, within 15 minutes. It replaces the link of before. A sign-in of the account
 * and a change of its password end it.
 */
export async function makeSignInLink(deps: LinkDeps, account: Account): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const linked: Linked = { accountId: account.id, sessionVersion: account.session_version };
  await recordAction(deps, OPERATOR, auditedAccount('sign_in_link', account));
  const hash = sha256Hex(token);
  await deps.redis.commands.set(authKeys.signInLink(hash), JSON.stringify(linked), 'PX', ENDS_AFTER_MS);
  await deps.redis.commands.set(authKeys.signInLinkOf(account.id), hash, 'PX', ENDS_AFTER_MS);
  return token;
}

/** The account that the token signs in, with an audit entry; null if it was used, has ended, or never was. */
export async function signInByLink(deps: LinkDeps, token: string, by: Actor): Promise<Account | null> {
  const hash = sha256Hex(token);
  const text = await deps.redis.commands.getdel(authKeys.signInLink(hash));
  if (text === null) return null;
  const { accountId, sessionVersion } = JSON.parse(text) as Linked;
  if ((await deps.redis.commands.get(authKeys.signInLinkOf(accountId))) !== hash) return null;
  const account = await accountStore(deps.db).findById(accountId);
  if (account === null || account.session_version !== sessionVersion) return null;
  return recordSignIn(deps, account, by, 'by a link');
}
