import type { Account } from '@flotilla/domain/people/accounts/account.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import type { SignInConfig } from '@flotilla/domain/startup/sign-in-settings.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Request } from 'express';

export function requiresSecondFactor({ secondFactor }: SignInConfig, { role }: Pick<Account, 'role'>): boolean {
  return secondFactor === 'all' || (secondFactor === 'admins' && role === 'admin');
}

/** True for a session that needs a second factor and was opened without one; the provider asks for its own. */
export function lacksSecondFactor(config: SignInConfig, { account, apiKey }: Caller, { session }: Request): boolean {
  return apiKey === null && session.secondFactor !== true && requiresSecondFactor(config, account);
}

/** Throws 'forbidden' for such a session, unless the call is one that it may make before. API keys keep working. */
export function requireSecondFactor(
  { signIn }: { signIn: SignInConfig },
  { beforePasswordChange }: { readonly beforePasswordChange?: true },
  caller: Caller | null,
  request: Request,
): void {
  if (caller === null || beforePasswordChange === true || !lacksSecondFactor(signIn, caller, request)) return;
  throw new FlotillaError('forbidden', 'A second factor must be set up first');
}
