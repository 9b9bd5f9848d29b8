import type { Operation } from '@flotilla/contract/operation.ts';
import { endOfKey } from '@flotilla/domain/accounts/api-key.ts';
import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

/** Throws 'forbidden' unless the caller has the role, and the reach, that the operation asks for. */
export function requireRole(
  operation: Pick<Operation, 'role' | 'wholeFleet' | 'lasting'>,
  caller: Caller | null,
): void {
  if (operation.role === 'admin' && caller?.role !== 'admin') {
    throw new FlotillaError('forbidden', 'Admin role required');
  }
  if (operation.wholeFleet === true && caller?.bots !== 'all') {
    throw new FlotillaError('forbidden', 'A key that is limited to some bots cannot do this');
  }
  if (operation.lasting === true && caller?.apiKey && endOfKey(caller.apiKey) !== null) {
    throw new FlotillaError('forbidden', 'A key that expires cannot do this: what it makes would outlive it');
  }
}

/** Throws 'forbidden' for a session of an account that must still change the password it was given; keys go on. */
export function requirePasswordChanged(
  operation: Pick<Operation, 'beforePasswordChange'>,
  caller: Caller | null,
): void {
  if (caller === null || caller.apiKey !== null || operation.beforePasswordChange === true) return;
  if (!caller.account.mustChangePassword) return;
  throw new FlotillaError('forbidden', 'The password must be changed first');
}
