import { readSqlState } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const UNIQUE_VIOLATION = '23505';
const IDENTITY = 'accounts_identity';

/** Throws 'conflict' if the username is taken, in any spelling, or the person at the identity provider has an account. */
export function refuseKnownUsername(error: unknown): never {
  if (readSqlState(error) !== UNIQUE_VIOLATION) throw error;
  const isIdentity = (error as { constraint?: unknown }).constraint === IDENTITY;
  throw new FlotillaError(
    'conflict',
    `An account with this ${isIdentity ? 'oidc_subject' : 'username'} exists already`,
  );
}
