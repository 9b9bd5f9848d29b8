import { OK } from '@flotilla/contract/fields.ts';
import type { secondFactorOperations } from '@flotilla/contract/second-factor.ts';
import type { Account } from '@flotilla/domain/people/accounts/account.ts';
import { accountStore } from '@flotilla/domain/people/accounts/account-store.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { verifyPassword } from '@flotilla/domain/people/accounts/password.ts';
import { recordSignInLimit } from '@flotilla/domain/people/accounts/record-sign-in-limit.ts';
import {
  beginTotp,
  confirmTotp,
  proveSecondFactor,
  readSecondFactor,
  removeSecondFactor,
} from '@flotilla/domain/people/accounts/second-factor.ts';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Request } from 'express';
import { requiresSecondFactor } from '../auth/second-factor.ts';
import { beginSession } from '../auth/session.ts';
import type { Attempting } from '../auth/sign-in-limits.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../operations/handler.ts';

export const secondFactorHandlers: Handlers<typeof secondFactorOperations> = {
  async showSecondFactor(context, { caller }) {
    const { totp, recoveryCodesLeft } = await readSecondFactor(context, caller.account.id);
    const required = requiresSecondFactor(context.config.signIn, caller.account);
    return { totp, recovery_codes_left: recoveryCodesLeft, required };
  },

  async beginTotp(context, { input, caller, by, request, response }) {
    const { account } = caller;
    await guessing(context, by, account, { request, response }, () => checkPassword(context, account, input.password));
    return beginTotp(context, account);
  },

  async confirmTotp(context, { input, caller, by, request, response }) {
    const { account } = caller;
    const confirmed = await guessing(context, by, account, { request, response }, () =>
      confirmTotp(context, by, account.id, input.code),
    );
    await continueSession(context, request, caller, { ...confirmed, secondFactor: true });
    return { recovery_codes: confirmed.recoveryCodes };
  },

  async removeTotp(context, { input, caller, by, request, response }) {
    const { account } = caller;
    await guessing(context, by, account, { request, response }, async () => {
      await checkPassword(context, account, input.password);
      const proof = await proveSecondFactor(context, account.id, input.code);
      if (proof === 'wrong' || proof === 'needed') throw refusedInput('code', 'is wrong, or was used');
    });
    const sessionVersion = await removeSecondFactor(context, by, account.id, 'second_factor_remove');
    if (sessionVersion === null) throw new FlotillaError('conflict', 'This account has no second factor');
    await continueSession(context, request, caller, { sessionVersion, secondFactor: false });
    return OK;
  },

  async resetSecondFactor(context, { input, by }) {
    if ((await accountStore(context.db).findById(input.id)) === null)
      throw new FlotillaError('not_found', 'Account not found');
    await removeSecondFactor(context, by, input.id, 'second_factor_reset');
    return OK;
  },
};

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
