import type { IncomingMessage } from 'node:http';
import { type Parameters, parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { BodyBudget, Sender } from '../http/body-budget.ts';
import { collectBody } from '../http/collect-body.ts';
import type { Refusal } from './answer.ts';
import { isTooLarge } from './read-parameters.ts';
import { NO_ROOM, TOO_LARGE } from './refusals.ts';
import type { MethodCall, WholeBody } from './running-proxy.ts';

export type NamedInBody =
  | { outcome: 'named'; method: string; whole: WholeBody }
  | { outcome: 'refused'; refusal: Refusal }
  | { outcome: 'unknown-encoding' }
  | { outcome: 'aborted' };

/** A stranger's call is read for the few methods that are answered or refused here; these are short. */
const LIMIT_BYTES: Record<Sender, number> = { known: 1024 * 1024, stranger: 64 * 1024 };

/**
 * The method that a body names, in lower case, '' where it names none; the body is read whole for that, up to 1 MiB of
 * a registered bot and 64 KiB of a stranger. No compressed one: it would be held packed and unpacked, and no client
 * sends it.
 */
export async function namedInBody(
  budget: BodyBudget,
  sender: Sender,
  { req, res, path }: MethodCall,
): Promise<NamedInBody> {
  if (isPacked(req)) return { outcome: 'unknown-encoding' };
  const body = await collectBody(req, res, { budget, sender, limitBytes: LIMIT_BYTES[sender] });
  switch (body.outcome) {
    case 'read': {
      const parameters = parametersIn(req, path.query, body.bytes);
      if (isTooLarge(parameters)) return { outcome: 'refused', refusal: TOO_LARGE };
      const method = (parameters.values.get('method') ?? '').toLowerCase();
      return { outcome: 'named', method, whole: { bytes: body.bytes, release: body.release } };
    }
    case 'too-large':
      return { outcome: 'refused', refusal: TOO_LARGE };
    case 'no-room':
      return { outcome: 'refused', refusal: NO_ROOM };
    default:
      return { outcome: body.outcome };
  }
}

/** The parameters of a query string and of a body that was read whole. */
export function parametersIn(req: IncomingMessage, query: string, body: Buffer): Parameters {
  const parameters = parametersOf(query);
  const limits = { parameterBytes: body.length, fileBytes: body.length };
  const reader = parameterReader(req.headers['content-type'] ?? '', parameters, limits);
  reader.write(body);
  reader.end();
  return parameters;
}

function isPacked({ headers }: IncomingMessage): boolean {
  return !['', 'identity'].includes((headers['content-encoding'] ?? '').trim().toLowerCase());
}
