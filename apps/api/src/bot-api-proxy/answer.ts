import { type ServerResponse, STATUS_CODES } from 'node:http';
import { ERROR_STATUS } from '@flotilla/contract/errors.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { moveWaitS } from '@flotilla/domain/fleet/upstreams/hold-while-moving.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { botApiError } from '@flotilla/telegram/bot-api-error.ts';
import { PROXY_FAILED } from '@flotilla/telegram/proxy-tunnel.ts';
import { classifyError } from '../http/classify-error.ts';
import { SANDBOXED } from './headers.ts';

/** An answer of our own: a raw JSON `result`, the pieces of the whole answer, or an error in the platform's form. */
export type BotApiAnswer =
  | { ok: true; result: string; description?: string }
  | { ok: true; pieces: Buffer[] }
  | Refusal;
/** `answeredBy`: what answered in place of the platform, where a client could take it for the platform's. */
export type Refusal = { ok: false; code: number; description: string; retryAfterS?: number; answeredBy?: string };

/** For calls that would send or change something, at a copy of the installation. */
export const QUARANTINED: Refusal = {
  ...refusal(503, 'Service Unavailable: this is a copy of the installation in quarantine, it sends nothing'),
  answeredBy: 'quarantine',
};
/** For the same calls, before a store has told if this is a copy. */
export const NOT_KNOWN_YET: Refusal = {
  ...refusal(503, 'Service Unavailable: the installation is not known yet, retry after 3'),
  retryAfterS: 3,
  answeredBy: 'quarantine',
};
export const NOT_FOUND = refusal(404, 'Not Found');
export const OTHER_HOST = refusal(404, 'Not Found: the Bot API is on another host');
/** The platform's words for a request line with a whole URL in it. */
export const ABSOLUTE_URI = refusal(404, 'Not Found: absolute URI is specified in the Request-Line');
export const AMBIGUOUS = badRequest('the path can be read in two ways');
export const UNAUTHORIZED = refusal(401, 'Unauthorized');
export const DISABLED = refusal(403, 'Forbidden: the bot is disabled');
/** While the bot is logged in at no server: it gets there soon, and then the call passes. */
export function whileMoving({ moving }: Pick<Bot, 'moving'>): Refusal {
  const retryAfterS = moving ? moveWaitS(moving) : 1;
  const reason = `the bot moves to another Bot API server, retry after ${retryAfterS}`;
  return { ...refusal(503, `Service Unavailable: ${reason}`), retryAfterS, answeredBy: 'move' };
}
/** The platform's words for getUpdates beside a webhook. */
export const WEBHOOK_IS_ACTIVE = refusal(
  409,
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
);
export const NO_SUCH_METHOD = refusal(404, 'Not Found: method not found');
/** For an answer that the platform compressed although we asked it not to: we cannot look into it. */
export const COMPRESSED_ANSWER = refusal(502, 'Bad Gateway: the platform sent an answer that cannot be read');
export const TOO_LARGE = refusal(413, 'Request Entity Too Large');
/** For a request whose body would exceed the memory that the process may use for bodies. */
export const NO_ROOM: Refusal = {
  ...refusal(503, 'Service Unavailable: too many requests are being read, retry after 1'),
  retryAfterS: 1,
};

export const UNKNOWN_SERVER = refusal(502, 'Bad Gateway: Flotilla does not know the Bot API server of the bot');
export const UNREADABLE_FILE = refusal(502, 'Bad Gateway: the file cannot be read at the Bot API server of the bot');
/** So many calls wait for the server that it hardly answers. */
export const NO_ROOM_AT_SERVER: Refusal = {
  ...refusal(503, 'Service Unavailable: the Bot API server of the bot does not answer, retry after 1'),
  retryAfterS: 1,
};
/** The bot has its share of those calls. */
export const NO_ROOM_OF_BOT: Refusal = {
  ...refusal(503, 'Service Unavailable: too many calls of the bot wait for its Bot API server, retry after 1'),
  retryAfterS: 1,
};

/** For calls with an Idempotency-Key. */
export const OTHER_CALL = badRequest('this Idempotency-Key was used for another call');
export const UNKNOWN_OUTCOME = refusal(
  409,
  'Conflict: nobody knows if the first call with this Idempotency-Key was carried out',
);
export const ANSWER_NOT_KEPT = refusal(
  409,
  'Conflict: the first call with this Idempotency-Key was answered, but its answer is not kept',
);

export const KEYS_BUSY: Refusal = {
  ...refusal(503, 'Service Unavailable: no call with an Idempotency-Key can be taken now, retry after 1'),
  retryAfterS: 1,
};

export function tooManyKeys(retryAfterS: number): Refusal {
  const reason = `too many Idempotency-Keys within 24 hours, retry after ${retryAfterS}`;
  return { ...refusal(429, `Too Many Requests: ${reason}`), retryAfterS };
}

/** Delays errors to getUpdates: some clients ask again at once after any error. */
export const POLL_ERROR_DELAY_MS = 1000;

/** The error for paths that do not have the form of the Bot API; it shows that form. Two slashes come from an API root that ends with one. */
export function wrongForm(prefix: string, hasTwoSlashes: boolean): Refusal {
  const form = `${prefix}/bot<token>/<method>, for files ${prefix}/file/bot<token>/<path>`;
  return refusal(404, `Not Found: no such path${hasTwoSlashes ? ' (two slashes)' : ''}, it is ${form}`);
}

export function badRequest(reason: string): Refusal {
  return refusal(400, `Bad Request: ${reason}`);
}

/** Too many calls, in the platform's words. */
export function tooManyRequests(retryAfterS: number): Refusal {
  return { ...refusal(429, `Too Many Requests: retry after ${retryAfterS}`), retryAfterS };
}

export function forbidden(reason: string): Refusal {
  return refusal(403, `Forbidden: ${reason}`);
}

function refusal(code: number, description: string): Refusal {
  return { ok: false, code, description };
}

/** An error of our own in the platform's form: its reason phrase, then a sentence. Our own faults are logged. */
export function describeError(log: Logger, thrown: unknown): Refusal {
  const error = classifyError(thrown);
  if (error.code === 'internal') log.error({ err: thrown }, 'a Bot API call failed');
  const code = ERROR_STATUS[error.code];
  const reason = error.code === 'too_many_requests' ? `retry after ${error.retryAfterS ?? 1}` : error.message;
  const wait = error.retryAfterS === undefined ? {} : { retryAfterS: error.retryAfterS };
  return { ...refusal(code, `${STATUS_CODES[code]}: ${reason}`), ...wait };
}

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const BAD_REQUESTS = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'UND_ERR_NOT_SUPPORTED']);

/**
 * Says why the platform gave no answer, and if it may have carried the call out, without the message of the error: that may contain an
 * address and a token.
 */
export function describeUpstreamError({ code = '' }: Error & { code?: string }, sentWhole: boolean): Refusal {
  if (BAD_REQUESTS.has(code)) return badRequest('the request cannot be passed on');
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return refusal(503, 'Service Unavailable: shutting down');
  }
  if (code === PROXY_FAILED) {
    return refusal(502, 'Bad Gateway: the platform could not be reached through its proxy');
  }
  if (!sentWhole) return refusal(502, 'Bad Gateway: the platform did not get the call, so it was not carried out');
  if (TIMEOUTS.has(code)) return refusal(504, 'Gateway Timeout: the platform did not answer in time');
  return refusal(502, 'Bad Gateway: the platform broke off before it answered');
}

/** Sends an answer of our own in the platform's envelope. Does nothing when the client is gone. */
export function sendAnswer(res: ServerResponse, answer: BotApiAnswer): void {
  if (!answer.ok) {
    sendError(res, answer);
    return;
  }
  if ('pieces' in answer) {
    sendPieces(res, answer.pieces);
    return;
  }
  sendBody(res, 200, answerBody(answer), {});
}

/** The body of an answer with a result. */
export function answerBody({ result, description }: { result: string; description?: string }): string {
  const rest = description === undefined ? '' : `,"description":${JSON.stringify(description)}`;
  return `{"ok":true,"result":${result}${rest}}`;
}

/** Sends an error in the platform's envelope; a wait in seconds goes into the body and into Retry-After. */
export function sendError(res: ServerResponse, refusal: Omit<Refusal, 'ok'>): void {
  const { code, description, retryAfterS, answeredBy } = refusal;
  const wait = retryAfterS === undefined ? undefined : { retry_after: retryAfterS };
  sendBody(res, code, botApiError(code, description, wait).body, {
    ...(retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) }),
    ...(answeredBy === undefined ? {} : { 'Flotilla-Answered-By': answeredBy }),
  });
}

/** Refuses a request that is no call, as the platform does: an empty body, and the connection ends. */
export function sendEmpty(res: ServerResponse, code: number): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(code, { ...SANDBOXED, 'Content-Length': '0', Connection: 'close' });
  res.end();
}

function sendBody(res: ServerResponse, code: number, body: string, headers: Record<string, string>): void {
  if (res.headersSent || res.destroyed) return;
  const length = String(Buffer.byteLength(body));
  res.writeHead(code, { ...SANDBOXED, 'Content-Type': 'application/json', 'Content-Length': length, ...headers });
  res.end(body);
}

/** Sends an answer in one write. */
function sendPieces(res: ServerResponse, pieces: Buffer[]): void {
  if (res.headersSent || res.destroyed) return;
  const length = String(pieces.reduce((sum, piece) => sum + piece.length, 0));
  res.writeHead(200, { ...SANDBOXED, 'Content-Type': 'application/json', 'Content-Length': length });
  res.cork();
  for (const piece of pieces) res.write(piece);
  res.end();
}
