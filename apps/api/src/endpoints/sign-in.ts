import { OK } from '@flotilla/contract/fields.ts';
import type { OwnAccountResource, signInOperations } from '@flotilla/contract/sign-in.ts';
import type { Account } from '@flotilla/domain/people/accounts/account.ts';
import { endOfKey } from '@flotilla/domain/people/accounts/api-key.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { changePassword } from '@flotilla/domain/people/accounts/change-password.ts';
import { refuseCommonPassword } from '@flotilla/domain/people/accounts/password.ts';
import { recordSignInLimit } from '@flotilla/domain/people/accounts/record-sign-in-limit.ts';
import { signIn } from '@flotilla/domain/people/accounts/sign-in.ts';
import { signInByLink } from '@flotilla/domain/people/accounts/sign-in-link.ts';
import { usernameKey } from '@flotilla/domain/people/accounts/username-key.ts';
import { recordAction } from '@flotilla/domain/people/audit/record-action.ts';
import { START_PATH } from '@flotilla/domain/startup/sign-in-settings.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Request } from 'express';
import { lacksSecondFactor, requiresSecondFactor } from '../auth/second-factor.ts';
import { beginSession, endSession } from '../auth/session.ts';
import type { SignInAttempt } from '../auth/sign-in-limits.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../operations/handler.ts';
import { presentAccount } from './accounts.ts';

export const signInHandlers: Handlers<typeof signInOperations> = {
  async listSignInWays({ config }) {
    const { passwords, oidc } = config.signIn;
    if (oidc === null) return { password: true };
    const start_url = new URL(START_PATH, oidc.redirectUrl).href;
    return { password: passwords, oidc: { name: oidc.name, start_url } };
  },

  async login(context, { input, by, request, response }) {
    requirePasswords(context, input.username);
    const { signIns } = context.apiMetrics;
    const attempt = await context.signInLimits
      .attempt(input.username, { request, response })
      .catch((error: unknown) => {
        if (error instanceof FlotillaError) signIns.inc({ outcome: 'limited' });
        throw error;
      });
    const signedIn = await signIn(context, input, by).catch((error) => giveUp(attempt, error));
    if (signedIn.outcome === 'code_needed') {
      await attempt.takeBack();
      throw new FlotillaError('second_factor_needed', 'A code of the authenticator app or a passkey is needed');
    }
    signIns.inc({ outcome: signedIn.outcome === 'signed_in' ? 'ok' : 'refused' });
    if (signedIn.outcome !== 'signed_in') {
      await recordSignInLimit(context, by, input.username, attempt.reaches);
      if (signedIn.outcome === 'code_wrong')
        throw new FlotillaError('second_factor_needed', 'The code or the passkey is wrong, or was used');
      throw new FlotillaError('unauthorized', 'The username or the password is wrong');
    }
    await attempt.succeeded();
    return begun(context, request, signedIn.account, signedIn.secondFactor);
  },

  async signInByLink(context, { input, by, request }) {
    const account = await signInByLink(context, input.token, by);
    context.apiMetrics.signIns.inc({ outcome: account === null ? 'refused' : 'ok' });
    if (account === null) throw new FlotillaError('unauthorized', 'The link was used, or it has ended');
    // Whoever can make links can also reset second factors, so that a lost phone locks nobody out.
    return begun(context, request, account, account.second_factor);
  },

  async logout(context, { by, request, response }) {
    if (request.session !== undefined) await recordAction(context, by, { action: 'sign_out' });
    await endSession(request, response);
    // The chats that the browser keeps are nobody's now.
    response.set('Clear-Site-Data', '"cache"');
    return OK;
  },

  async showOwnAccount({ config }, { caller, request }) {
    const isMissing = lacksSecondFactor(config.signIn, caller, request);
    return { ...presentCaller(caller), ...(isMissing ? { second_factor_missing: true } : {}) };
  },

  async changePassword(context, { input, caller, by, request, response }) {
    const { account, apiKey } = caller;
    // Checked first: a refused new password must not count as a guess of the old one.
    await refuseCommonPassword('new_password', input.new_password);
    if (input.new_password === input.old_password)
      throw refusedInput('new_password', 'must differ from the old password');
    // Guessing the old password with a stolen session or key is limited like guessing it at sign-in.
    const attempt = await context.signInLimits.attempt(account.username, { request, response });
    const passwords = { old: input.old_password, new: input.new_password };
    const sessionVersion = await changePassword(context, by, account.id, passwords).catch((error) =>
      giveUp(attempt, error),
    );
    if (sessionVersion === null) {
      await recordSignInLimit(context, by, account.username, attempt.reaches);
      throw refusedInput('old_password', 'is not the password of this account');
    }
    await attempt.succeeded();
    // The new session keeps the end of the old one, because this was not a sign-in.
    const { secondFactor = false } = request.session;
    const opened = { accountId: account.id, sessionVersion, secondFactor, continued: { ...request.session } };
    if (apiKey === null) await beginSession(context, request, opened);
    return OK;
  },
};

/** While passwords are off, only the local admin has one, for when the identity provider is away. Says nothing of other accounts. */
export function requirePasswords({ config }: Context, username: string): void {
  const { passwords, localAdmin, oidc } = config.signIn;
  if (passwords || usernameKey(username) === localAdmin) return;
  throw new FlotillaError('forbidden', `Passwords are switched off: sign in with ${oidc?.name}`);
}

async function begun(context: Context, request: Request, account: Account, secondFactor: boolean) {
  const { id: accountId, session_version: sessionVersion } = account;
  await beginSession(context, request, { accountId, sessionVersion, secondFactor });
  const isMissing = !secondFactor && requiresSecondFactor(context.config.signIn, account);
  return {
    user: presentAccount(account),
    must_change_password: account.must_change_password,
    ...(isMissing ? { second_factor_missing: true as const } : {}),
  };
}

/** A wrong password is no error here: so this was no guess. */
async function giveUp(attempt: SignInAttempt, error: unknown): Promise<never> {
  await attempt.takeBack().catch(() => {});
  throw error;
}

/** The account; for an API key also what the key may do. */
function presentCaller({ account, apiKey, role, scope: { bots } }: Caller): OwnAccountResource {
  if (apiKey === null) return presentAccount(account);
  const { id, name } = apiKey;
  const end = endOfKey(apiKey);
  const ends = end === null ? {} : { expires_at: end.toISOString() };
  const bot_ids = bots === 'all' ? null : [...bots];
  return { ...presentAccount(account), api_key: { id, name, role, bot_ids, ...ends } };
}
