import type { Refusal } from './answer.ts';

export const NOT_FOUND: Refusal = { ok: false, code: 404, description: 'Not Found' };
/** For paths that miss the form of the Bot API, with the one that was meant. */
export function wrongForm(prefix: string): Refusal {
  const form = `${prefix}/bot<token>/<method>, for files ${prefix}/file/bot<token>/<path>`;
  return { ok: false, code: 404, description: `Not Found: no such path, it is ${form}` };
}

export const OTHER_HOST: Refusal = { ok: false, code: 404, description: 'Not Found: the Bot API is on another host' };

/** The platform's words for a request line with a whole URL in it. */
export const ABSOLUTE_URI: Refusal = {
  ok: false,
  code: 404,
  description: 'Not Found: absolute URI is specified in the Request-Line',
};
export const AMBIGUOUS: Refusal = {
  ok: false,
  code: 400,
  description: 'Bad Request: the path can be read in two ways',
};
export const UNAUTHORIZED: Refusal = { ok: false, code: 401, description: 'Unauthorized' };
export const DISABLED: Refusal = { ok: false, code: 403, description: 'Forbidden: the bot is disabled' };
export const TOO_LARGE: Refusal = { ok: false, code: 413, description: 'Request Entity Too Large' };

/** The process holds as much of request bodies as it may. */
export const NO_ROOM: Refusal = {
  ok: false,
  code: 503,
  description: 'Service Unavailable: too many requests are being read, retry after 1',
  retryAfterS: 1,
};

/** A 400 with the platform's beginning. */
export function badRequest(reason: string): Refusal {
  return { ok: false, code: 400, description: `Bad Request: ${reason}` };
}
