import type { IncomingMessage } from 'node:http';
import { trim } from '@flotilla/telegram/parameters/trim.ts';
import { SESSION_COOKIE } from '../auth/session.ts';

/** Headers of one connection (RFC 9110 §7.6.1), `host`, and `expect`, which we have answered. */
const REQUEST_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'trailers',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
]);
/** Headers that may carry a credential for our own API, which the platform must not get. */
const CREDENTIAL_HEADERS = new Set(['cookie', 'authorization']);

/** The scheme may have any case; our keys begin with lower-case letters. */
const OWN_KEY = /^[Bb][Ee][Aa][Rr][Ee][Rr]\s+flt_/;

const CHANGED_IN_REQUESTS = new Set([...REQUEST_HEADERS, ...CREDENTIAL_HEADERS]);
/** Only we say how a browser shows an answer, because it may have a session on our origin. */
const OURS_TO_SET = ['content-security-policy', 'content-security-policy-report-only', 'x-content-type-options'];
/**
 * Headers of an answer that reach beyond it. Headers about the answer alone pass (CORS, caching, framing, policies of the
 * document): without scripts and cookies they open nothing, and clients in browsers need CORS.
 */
const BEYOND_THE_ANSWER = [
  // Browsers keep these for our whole origin, or obey them there: cookies, sessions, logins, transport, workers, storage.
  'set-cookie',
  'set-cookie2',
  'set-login',
  'sec-session-registration',
  'sec-session-challenge',
  'secure-session-registration',
  'secure-session-challenge',
  'strict-transport-security',
  'public-key-pins',
  'public-key-pins-report-only',
  'expect-ct',
  'alt-svc',
  'service-worker-allowed',
  'clear-site-data',
  'origin-agent-cluster',
  'accept-ch',
  'accept-ch-lifetime',
  'critical-ch',
  'use-as-dictionary',
  // They report failures, or whole URLs with the token, to a server of somebody else.
  'nel',
  'report-to',
  'reporting-endpoints',
  'referrer-policy',
  // They load another page, in place of the answer or ahead of time.
  'refresh',
  'speculation-rules',
  // Commands to the web server before us, which could serve its own files.
  'x-accel-redirect',
  'x-accel-buffering',
  'x-accel-charset',
  'x-accel-expires',
  'x-accel-limit-rate',
  'x-sendfile',
];
/** Range headers, too: the parts of a cut answer could not be searched for a secret. */
const CHANGED_FOR_PLAIN_FILES = new Set([...CHANGED_IN_REQUESTS, 'accept-encoding']);
const CHANGED_FOR_PLAIN_ANSWERS = new Set([...CHANGED_FOR_PLAIN_FILES, 'range', 'if-range']);
const CHANGED_IN_RESPONSES = new Set([...REQUEST_HEADERS, ...OURS_TO_SET, ...BEYOND_THE_ANSWER]);
for (const name of ['expect', 'host']) CHANGED_IN_RESPONSES.delete(name);

/** On every answer: a browser that shows it runs no script, loads nothing, and treats it as an origin of its own. */
export const SANDBOXED = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
};
const SANDBOXED_RAW = Object.entries(SANDBOXED).flat();

/** A Connection header cannot remove these headers, because the body cannot be read without them. */
const NEVER_NAMED = new Set(['content-length', 'content-type', 'content-encoding']);

/** The raw request headers in their order, without connection headers and without credentials for our API. */
export function forwardedRequestHeaders(raw: string[]): string[] {
  return withoutHopByHop(raw, CHANGED_IN_REQUESTS);
}

/** The same, asking for an answer that is not compressed, and whole unless it is a file. */
export function requestHeadersForPlainAnswer(raw: string[], isFile: boolean): string[] {
  const headers = withoutHopByHop(raw, isFile ? CHANGED_FOR_PLAIN_FILES : CHANGED_FOR_PLAIN_ANSWERS);
  headers.push('Accept-Encoding', 'identity');
  return headers;
}

/** These headers for another body, whose length is not known yet. */
export function headersOfOwnBody(headers: string[], contentType: string): string[] {
  const own = ['Content-Type', contentType];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    if (!/^content-/i.test(name)) own.push(name, headers[at + 1] as string);
  }
  return own;
}

/** The raw response headers in their order, without those of the connection or beyond the answer, and with SANDBOXED. */
export function forwardedResponseHeaders(raw: Buffer[]): string[] {
  const headers: string[] = new Array(raw.length);
  for (let i = 0; i < raw.length; i++) headers[i] = (raw[i] as Buffer).toString('latin1');
  const forwarded = withoutHopByHop(headers, CHANGED_IN_RESPONSES);
  forwarded.push(...SANDBOXED_RAW);
  return forwarded;
}

function withoutHopByHop(raw: string[], changed: ReadonlySet<string>): string[] {
  const headers: string[] = [];
  let named: string[] | null = null;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    const value = raw[i + 1] as string;
    const lower = name.toLowerCase();
    if (!changed.has(lower)) headers.push(name, value);
    else if (CREDENTIAL_HEADERS.has(lower)) {
      const kept = withoutOwnCredential(lower, value);
      if (kept !== null) headers.push(name, kept);
    } else if (lower === 'connection' && !isPlainConnection(value)) named = [...(named ?? []), ...namedIn(value)];
  }
  return named === null ? headers : withoutNames(headers, named);
}

function isPlainConnection(value: string): boolean {
  return value === 'keep-alive' || value === 'close' || value === 'Keep-Alive';
}

function namedIn(connection: string): string[] {
  return connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => !NEVER_NAMED.has(name));
}

/** The same headers without this one. */
export function withoutHeader(headers: string[], lowerCaseName: string): string[] {
  return withoutNames(headers, [lowerCaseName]);
}

function withoutNames(headers: string[], names: string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!names.includes((headers[i] as string).toLowerCase()))
      kept.push(headers[i] as string, headers[i + 1] as string);
  }
  return kept;
}

/** The value of the header without our credential, otherwise unchanged; null if nothing is left. */
function withoutOwnCredential(lowerCaseName: string, value: string): string | null {
  if (lowerCaseName === 'authorization') return OWN_KEY.test(value) ? null : value;
  const cookies = value.split(';');
  const others = cookies.filter((cookie) => !isOwnSession(cookie));
  if (others.length === cookies.length) return value;
  return others.join(';').trim() || null;
}

function isOwnSession(cookie: string): boolean {
  const equals = cookie.indexOf('=');
  return equals !== -1 && cookie.slice(0, equals).trim() === SESSION_COOKIE;
}

/**
 * The status that refuses a request whose end is ambiguous: 400 for two kinds of framing, 501 (as at the platform) for a
 * transfer coding other than chunked. Null for a sound request.
 */
export function framingFault({ headers }: IncomingMessage): 400 | 501 | null {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return null;
  if (headers['content-length'] !== undefined) return 400;
  return coding.trim().toLowerCase() === 'chunked' ? null : 501;
}

/** A head may have 64 KiB, and a response keeps its request. To be called when nothing of it is needed any more. */
export function forgetHead(req: IncomingMessage): void {
  req.url = '';
  req.rawHeaders = [];
  req.headers = {};
}

/** True if a body follows the headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * True if the body has come as a whole and waits to be read; false for a chunked one. In the tick after the headers, Node
 * has parsed what came with them, and sets `complete` only after that tick.
 */
export function hasWholeBody({ headers, readableLength }: IncomingMessage): boolean {
  return readableLength === Number(headers['content-length']);
}

/**
 * A whole body is read before Node has noticed its end, so the request never emits 'end', and Node lets go of it only
 * with the next request of the connection.
 */
export function bodyAtHand(req: IncomingMessage): Buffer | null | 'stream' {
  return hasWholeBody(req) ? ((req.read() as Buffer | null) ?? null) : 'stream';
}

/** True for a body that its Content-Encoding says is compressed. */
export function isCompressed(contentEncoding: string | string[] | undefined): boolean {
  if (contentEncoding === undefined) return false;
  return !['', 'identity'].includes(String(contentEncoding).trim().toLowerCase());
}

/** The value of a header in a raw list; '' if it is absent. */
export function headerOf(headers: string[], lowerCaseName: string): string {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string;
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) return headers[i + 1] as string;
  }
  return '';
}

/**
 * How the platform decodes a body (`HttpReader::do_read_next`): not at all, by zlib, which tells gzip from deflate itself, or
 * null, so that it answers 415. That is so for `identity`, too.
 */
export function bodyCoding({ rawHeaders }: IncomingMessage): 'none' | 'zlib' | null {
  const coding = trim(lastHeader(rawHeaders, 'content-encoding')).toLowerCase();
  if (coding === '' || coding === 'none') return 'none';
  return coding === 'gzip' || coding === 'deflate' ? 'zlib' : null;
}

/** The Content-Type of a request as the platform takes it. */
export function contentType({ rawHeaders }: IncomingMessage): string {
  return trim(lastHeader(rawHeaders, 'content-type'));
}

/** Of two headers the platform takes the last, and Node shows the first or joins them. '' if there is none. */
function lastHeader(raw: readonly string[], lowerCaseName: string): string {
  for (let at = raw.length - 2; at >= 0; at -= 2) {
    const name = raw[at] as string;
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) return raw[at + 1] as string;
  }
  return '';
}
