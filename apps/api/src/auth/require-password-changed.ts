import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Operation } from '@flotilla/contract/operation.ts';
import type { Caller } from '@flotilla/domain/accounts/caller.ts';

/** Throws 'forbidden' while the account must still change the password it was given. */
export function requirePasswordChanged(
  operation: Pick<Operation, 'beforePasswordChange'>,
  caller: Caller | null,
): void {
  if (!caller?.account.mustChangePassword || operation.beforePasswordChange === true) return;
  throw new FlotillaError('forbidden', 'The password must be changed first');
}
