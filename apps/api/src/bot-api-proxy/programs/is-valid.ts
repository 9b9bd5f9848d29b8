import type { ProgramCredential } from '@flotilla/domain/fleet/bots/program-credential.ts';
import type { Context } from '../../context.ts';

/** False for a token that belongs to no program, or has expired. */
export function isValid(
  { clock }: Pick<Context, 'clock'>,
  found: ProgramCredential | undefined,
): found is ProgramCredential {
  return found !== undefined && (found.token.expiresAtMs ?? Number.POSITIVE_INFINITY) > clock.nowMs();
}

/** The same after a wait: what is known of the token by now. */
export function isStillValid(context: Pick<Context, 'clock' | 'directory'>, token: string): boolean {
  return isValid(context, context.directory.byProgramToken(token));
}
