import { OK } from '@flotilla/contract/fields.ts';
import type { secondFactorOperations } from '@flotilla/contract/second-factor.ts';
import type { Account } from '@flotilla/domain/people/accounts/account.ts';
import { accountStore } from '@flotilla/domain/people/accounts/account-store.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { type AddingFactor, notProved } from '@flotilla/domain/people/accounts/change-factor.ts';
import { findAccount } from '@flotilla/domain/people/accounts/find-account.ts';
import type { Passkey } from '@flotilla/domain/people/accounts/passkey-store.ts';
import { addPasskey, askForPasskey, beginPasskey, removePasskey } from '@flotilla/domain/people/accounts/passkeys.ts';
import { verifyPassword } from '@flotilla/domain/people/accounts/password.ts';
import { recordSignInLimit } from '@flotilla/domain/people/accounts/record-sign-in-limit.ts';
import {
  beginTotp,
  confirmTotp,
  type GivenProof,
  proveSecondFactor,
  readSecondFactor,
  removeTotp,
  resetSecondFactor,
} from '@flotilla/domain/people/accounts/second-factor.ts';
import { recordRightPassword } from '@flotilla/domain/people/accounts/sign-in.ts';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Request } from 'express';
import { requiresSecondFactor } from '../auth/second-factor.ts';
import { beginSession } from '../auth/session.ts';
import type { Attempting } from '../auth/sign-in-limits.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../operations/handler.ts';
import { requirePasswords } from './sign-in.ts';

export const secondFactorHandlers: Handlers<typeof secondFactorOperations> = {
  async showSecondFactor(context, { caller }) {
    const { totp, passkeys, recovery_codes_left } = await readSecondFactor(context, caller.account.id);
    return {
      totp,
      passkeys: passkeys.map(presentPasskey),
      passkeys_possible: context.relyingParty !== null,
      recovery_codes_left,
      required: requiresSecondFactor(context.config.signIn, caller.account),
    };
  },

  async beginTotp(context, { input, caller, by, request, response }) {
    const { account } = caller;
    const { session } = adding(caller, request);
    await guessing(context, by, account, { request, response }, () => checkPassword(context, account, input.password));
    return beginTotp(context, account, session);
  },

  async confirmTotp(context, { input, caller, by, request, response }) {
    const { account } = caller;
    const at = adding(caller, request);
    const confirmed = await guessing(context, by, account, { request, response }, () =>
      confirmTotp(context, by, { account_id: account.id, ...at, ...input }),
    );
    await continueSession(context, request, caller, { ...confirmed, secondFactor: true });
    return { recovery_codes: confirmed.recovery_codes };
  },

  async removeTotp(context, { input, caller, by, request, response }) {
    const { account } = caller;
    await guessing(context, by, account, { request, response }, () => checkAll(context, account, input));
    const sessionVersion = await removeTotp(context, by, account.id);
    if (sessionVersion === null) throw new FlotillaError('conflict', 'This account has no authenticator app');
    await afterRemoval(context, request, caller, sessionVersion);
    return OK;
  },

  async beginPasskey(context, { input, caller, by, request, response }) {
    const { account } = caller;
    const { session } = adding(caller, request);
    await guessing(context, by, account, { request, response }, () => checkPassword(context, account, input.password));
    return { options: await beginPasskey(context, account, session) };
  },

  async addPasskey(context, { input, caller, by, request }) {
    const at = adding(caller, request);
    const added = await addPasskey(context, by, { account_id: caller.account.id, ...at, ...input });
    await continueSession(context, request, caller, { ...added, secondFactor: true });
    return { id: added.id, recovery_codes: added.recovery_codes };
  },

  async removePasskey(context, { input, caller, by, request, response }) {
    const { account } = caller;
    await guessing(context, by, account, { request, response }, () => checkAll(context, account, input));
    const sessionVersion = await removePasskey(context, by, account.id, input.id);
    if (sessionVersion === null) throw new FlotillaError('not_found', 'Passkey not found');
    await afterRemoval(context, request, caller, sessionVersion);
    return OK;
  },

  async askForPasskey(context, { input, by, request, response }) {
    requirePasswords(context, input.username);
    const attempt = await context.signInLimits.attempt(input.username, { request, response });
    const found = await findAccount(context.db, input.username);
    const matches = await verifyPassword(context, found?.passwordHash ?? null, input.password);
    // Where the password is all that is needed, only a sign-in says that it is right: that one is recorded.
    if (!matches || !found?.account.second_factor) {
      await recordSignInLimit(context, by, input.username, attempt.reaches);
      throw new FlotillaError('unauthorized', 'The username or the password is wrong');
    }
    await attempt.takeBack();
    await recordRightPassword(context, found.account, by);
    const options = await askForPasskey(context, found.account.id);
    return options === null ? {} : { options };
  },

  async resetSecondFactor(context, { input, by }) {
    if ((await accountStore(context.db).findById(input.id)) === null)
      throw new FlotillaError('not_found', 'Account not found');
    await resetSecondFactor(context, by, input.id);
    return OK;
  },
};

/** A factor belongs to the session that began it. Throws for a key, and for a session that did not prove what the account has. */
function adding({ account, apiKey }: Caller, { session, sessionID }: Request): AddingFactor {
  if (apiKey !== null) throw new FlotillaError('forbidden', 'A second factor is added in a browser, after a sign-in');
  const isProved = session.secondFactor === true;
  if (account.second_factor && !isProved) throw notProved();
  return { session: sha256Hex(sessionID), isProved };
}

function presentPasskey({ id, name, created_at, last_used_at: last }: Passkey) {
  const used = last === null ? {} : { last_used_at: last.toISOString() };
  return { id, name, created_at: created_at.toISOString(), ...used };
}

async function checkAll(
  context: Context,
  account: Account,
  { password, ...proof }: GivenProof & { password: string },
): Promise<void> {
  await checkPassword(context, account, password);
  const proved = await proveSecondFactor(context, account.id, proof);
  if (proved === 'needed') throw refusedInput('code', 'is required, or a passkey in its place');
  if (proved === 'wrong') throw refusedInput(proof.passkey === undefined ? 'code' : 'passkey', 'is wrong, or was used');
}

/** The session proved a second factor a moment ago; that counts while the account has another one. */
async function afterRemoval(context: Context, request: Request, caller: Caller, sessionVersion: number): Promise<void> {
  const { totp, passkeys } = await readSecondFactor(context, caller.account.id);
  await continueSession(context, request, caller, { sessionVersion, secondFactor: totp || passkeys.length > 0 });
}

async function checkPassword(context: Context, { id }: Account, password: string): Promise<void> {
  const hash = await accountStore(context.db).passwordHashOf(id);
  if (!(await verifyPassword(context, hash, password))) {
    throw refusedInput('password', 'is not the password of this account');
  }
}

/** A refused password or code counts as a failed sign-in, so that a stolen session cannot guess. */
async function guessing<T>(
  context: Context,
  by: Actor,
  { username }: Account,
  from: Attempting,
  check: () => Promise<T>,
): Promise<T> {
  const attempt = await context.signInLimits.attempt(username, from);
  try {
    const checked = await check();
    // Only a whole sign-in makes a network known to the account.
    await attempt.takeBack();
    return checked;
  } catch (error) {
    const isGuess = error instanceof FlotillaError && error.code === 'bad_request';
    if (isGuess) await recordSignInLimit(context, by, username, attempt.reaches);
    else await attempt.takeBack().catch(() => {});
    throw error;
  }
}

/** The session goes on, and keeps its end; all others of the account have ended. */
async function continueSession(
  context: Context,
  request: Request,
  { account: { id: accountId }, apiKey }: Caller,
  { sessionVersion, secondFactor }: { sessionVersion: number; secondFactor: boolean },
): Promise<void> {
  if (apiKey !== null) return;
  await beginSession(context, request, { accountId, sessionVersion, secondFactor, continued: { ...request.session } });
}
