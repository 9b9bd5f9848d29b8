import { isProgramToken, type ProgramCredential } from '@flotilla/domain/fleet/bots/program-credential.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Request } from 'express';
import { credentialOf, isValid, senderOf } from '../auth/program-credential.ts';
import type { Context } from '../context.ts';
import { noteKnownSender } from '../http/known-sender.ts';

const BEARER = /^bearer +(\S+)$/i;

/**
 * The program whose token is in the Authorization header; null if there is no such token, and another credential decides.
 * Throws 'unauthorized' for one that is unknown, revoked or expired.
 */
export async function programOfCall(context: Context, request: Request): Promise<ProgramCredential | null> {
  const [, token = ''] = BEARER.exec(request.headers.authorization ?? '') ?? [];
  if (!isProgramToken(token)) return null;
  const found = await credentialOf(context.directory, token);
  if (!isValid(context, found)) throw new FlotillaError('unauthorized', 'A valid token of a program is needed');
  noteKnownSender(request, senderOf(found));
  context.recordTokenUse(found.token.id);
  return found;
}
