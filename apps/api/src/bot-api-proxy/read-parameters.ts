import { CERTIFICATE_BYTES_AT_MOST } from '@flotilla/domain/bots/backend-certificate.ts';
import { type Parameters, parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { BodyBudget, Sender } from '../http/body-budget.ts';
import { readInto } from '../http/collect-body.ts';
import type { Refusal } from './answer.ts';
import { NO_ROOM, TOO_LARGE } from './refusals.ts';
import type { MethodCall } from './running-proxy.ts';

/** The platform's own limit on what a call may carry beside its files. */
const PARAMETERS_LIMIT = 1024 * 1024;
/** No method has a tenth of it; a million names of a letter each would take a hundred times their bytes. */
const NAMES_LIMIT = 1000;
/** One byte more than a certificate may have is enough to refuse it. */
const FILE_LIMIT = CERTIFICATE_BYTES_AT_MOST + 1;
/** Of a stranger it is a setWebhook, with a certificate at most. */
const BODY_LIMIT: Record<Sender, number> = { known: 16 * 1024 * 1024, stranger: 256 * 1024 };

export type ReadParameters =
  | { outcome: 'read'; parameters: Parameters; release: () => void }
  | { outcome: 'refused'; refusal: Refusal }
  | { outcome: 'unknown-encoding' }
  | { outcome: 'aborted' };

/**
 * Reads the whole request of a call that we answer ourselves: parameters of query and body merged, the query first.
 * At most 1 MiB of parameters, 64 KiB of each file, 16 MiB in all (of a stranger 256 KiB), within 8 s; `aborted` when
 * the client went away.
 */
export async function readParameters(
  budget: BodyBudget,
  sender: Sender,
  { req, res, path }: MethodCall,
): Promise<ReadParameters> {
  const parameters = parametersOf(path.query);
  const limits = { parameterBytes: PARAMETERS_LIMIT, fileBytes: FILE_LIMIT };
  const reader = parameterReader(req.headers['content-type'] ?? '', parameters, limits);
  const read = await readInto(reader, req, res, { budget, sender, limitBytes: BODY_LIMIT[sender] });
  switch (read.outcome) {
    case 'read':
      // A body that ends in the middle of its compression keeps what was read, like any malformed body.
      reader.end();
      if (isTooLarge(parameters)) return { outcome: 'refused', refusal: TOO_LARGE };
      return { outcome: 'read', parameters, release: read.release };
    case 'too-large':
      return { outcome: 'refused', refusal: TOO_LARGE };
    case 'no-room':
      return { outcome: 'refused', refusal: NO_ROOM };
    default:
      return { outcome: read.outcome };
  }
}

export function isTooLarge({ overflow, values }: Parameters): boolean {
  return overflow || values.size > NAMES_LIMIT;
}
