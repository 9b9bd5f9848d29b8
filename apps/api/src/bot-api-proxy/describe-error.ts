import { STATUS_CODES } from 'node:http';
import { ERROR_STATUS } from '@flotilla/contract/errors.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { classifyError } from '../http/classify-error.ts';
import type { Refusal } from './answer.ts';

/** What went wrong on our side, in the platform's words: its reason phrase, then a sentence. Faults of ours are logged. */
export function describeError(log: Logger, thrown: unknown): Refusal {
  const error = classifyError(thrown);
  if (error.code === 'internal') log.error({ err: thrown }, 'a Bot API call failed');
  const code = ERROR_STATUS[error.code];
  const reason = error.code === 'too_many_requests' ? `retry after ${error.retryAfterS ?? 1}` : error.message;
  const description = `${STATUS_CODES[code]}: ${reason}`;
  return {
    ok: false,
    code,
    description,
    ...(error.retryAfterS === undefined ? {} : { retryAfterS: error.retryAfterS }),
  };
}
