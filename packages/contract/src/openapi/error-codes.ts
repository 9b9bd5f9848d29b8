import type { ErrorCode } from '../errors.ts';
import type { Operation } from '../operation.ts';

/** The errors that every operation of this kind can give, together with `beyond`, what it can give of its own. */
export function errorCodesOf(operation: Operation, beyond: readonly ErrorCode[] = []): ErrorCode[] {
  const { method, role, botInputs = [], beforePasswordChange = false } = operation;
  const isPost = method === 'POST';
  const codes: ErrorCode[] = ['bad_request', 'unavailable', 'internal', ...beyond];
  if (role !== 'public') codes.push('unauthorized');
  // A POST may come from another site's page; anything else is refused until the password is changed.
  if (isPost || role === 'admin' || !beforePasswordChange) codes.push('forbidden');
  if (botInputs.length > 0) codes.push('not_found');
  if (isPost) codes.push('payload_too_large', 'unsupported_media_type');
  return [...new Set(codes)];
}

/** When each code is given, and a sentence it comes with. */
export const ERROR_NOTES: Readonly<Record<ErrorCode, { when: string; sentence: string }>> = {
  bad_request: {
    when: 'An input is missing, ill-typed, out of range or unknown, the JSON is malformed, or the bot is disabled.',
    sentence: 'bot_id is required',
  },
  unauthorized: {
    when: 'There is no credential, or a bad, disabled or expired one.',
    sentence: 'A valid API key or session is needed',
  },
  forbidden: {
    when: 'The role is not enough, the key is limited to other bots, the bot is not among the own ones, the password must be changed first, or a page of another site sent this.',
    sentence: 'This bot is not among yours',
  },
  not_found: { when: 'What an input names is not there.', sentence: 'Bot not found' },
  method_not_allowed: { when: 'The path has other methods only.', sentence: 'PUT is not possible here' },
  conflict: { when: 'It exists already.', sentence: 'This token is registered already, as bot 7' },
  payload_too_large: {
    when: 'The body is larger than 1 MiB, at sign-in 16 KiB.',
    sentence: 'The body is larger than 1 MiB',
  },
  unsupported_media_type: {
    when: 'The body is neither JSON nor urlencoded.',
    sentence: 'The body must be JSON or urlencoded, and say so in Content-Type',
  },
  too_many_requests: {
    when: 'There were too many attempts, here or at the platform; Retry-After says when to try again.',
    sentence: 'Too Many Requests: retry after 5',
  },
  token_refused: {
    when: "The platform does not take the bot's token: it was made up, or revoked since.",
    sentence: 'Telegram refused this bot token',
  },
  platform_refused: {
    when: 'The platform refused; its description is in `error`, its own code in `error_code`.',
    sentence: 'Bad Request: chat not found',
  },
  platform_failed: {
    when: 'The platform failed, answered garbage or could not be reached.',
    sentence: 'The platform could not be reached',
  },
  platform_timeout: {
    when: 'The platform did not answer in time.',
    sentence: 'The platform did not answer in time',
  },
  unavailable: {
    when: 'Something the service needs is down, or too much is asked of it at once; Retry-After says when to try again.',
    sentence: 'The service cannot reach its storage at the moment; try again shortly',
  },
  internal: {
    when: 'Anything else; it is in the log under the request id.',
    sentence: 'Something went wrong on our side',
  },
};
