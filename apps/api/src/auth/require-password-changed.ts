import type { Operation } from '@flotilla/contract/operation.ts';
import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

/** Throws 'forbidden' for a session of an account that must still change the password it was given; keys go on. */
export function requirePasswordChanged(
  operation: Pick<Operation, 'beforePasswordChange'>,
  caller: Caller | null,
): void {
  if (caller === null || caller.apiKey !== null || operation.beforePasswordChange === true) return;
  if (!caller.account.mustChangePassword) return;
  throw new FlotillaError('forbidden', 'The password must be changed first');
}
