import { percentDecoded } from '@flotilla/telegram/parameters/percent-decoded.ts';
import { ABSOLUTE_URI, AMBIGUOUS, type Refusal, UNAUTHORIZED, wrongForm } from './answer.ts';

/** A parsed request path. `upstreamPath` is the part after our prefix, byte for byte, with its query string. */
export type BotPath =
  | { kind: 'method'; token: string; method: string; upstreamPath: string; query: string }
  | { kind: 'file'; token: string; upstreamPath: string }
  | { kind: 'refused'; refusal: Refusal };

export type MethodPath = Extract<BotPath, { kind: 'method' }>;

/** Methods, in lower case, that we answer for registered bots or for all bots. Then they never reach the platform. */
export const ANSWERED_HERE: ReadonlySet<string> = new Set([
  'getupdates',
  'setwebhook',
  'deletewebhook',
  'getwebhookinfo',
  'logout',
  'close',
]);

const SLASH = 47;
/** The path of nearly every call; every server reads it in the same way. */
const PLAIN_METHOD_PATH = /^\/bot(\d+:[\w-]+)\/(?:test\/)?(\w*)$/;
/** The prefix of calls when the API root is our address with a slash at its end. */
const AFTER_TWO_SLASHES = /^\/\/(?:file\/)?bot/;
const TOKEN = /^[\w:-]*$/;
/** Characters of a decoded path at which some servers end it, or which they take for a slash or drop. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SPLITS_PATH = /[\0-\x1f\x7f#?;\\]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const CONTROL = /[\0-\x1f\x7f]/;

/** A decoded method that every server reads in the same way. */
const PLAIN_METHOD = /^\w*$/;
const MAX_DECODINGS = 4;
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** True if the Bot API proxy serves the path: it serves everything below our prefix. */
export function isBotApiPath(url: string, prefix: string): boolean {
  const path = url.charCodeAt(0) === SLASH ? url : url.replace(ORIGIN, '');
  return (
    isBelow(path, prefix) || path.startsWith('/bot') || path.startsWith('/file/bot') || AFTER_TWO_SLASHES.test(path)
  );
}

/**
 * Reads `/bot<token>/[test/]<method>` and `/file/bot<token>/<path>`, with or without our prefix. Token and method
 * are percent-decoded first, as the platform does, so that no spelling avoids an interception. The method is in lower
 * case, '' if the path names none. Refuses other forms, and paths that the platform or a server before it might read
 * differently. Null for dot segments, encoded or not.
 */
export function parseBotPath(url: string, prefix: string): BotPath | null {
  if (url.charCodeAt(0) !== SLASH) return refused(ABSOLUTE_URI);
  const start = afterPrefix(url, prefix);
  const queryAt = url.indexOf('?', start);
  const rawPath = queryAt === -1 ? url.slice(start) : url.slice(start, queryAt);
  // No client sends a fragment. The platform would cut it off, and some servers the query string with it.
  if (url.includes('#')) return refused(AMBIGUOUS);
  const upstreamPath = start === 0 ? url : url.slice(start);
  const query = queryAt === -1 ? '' : url.slice(queryAt + 1);
  const plain = PLAIN_METHOD_PATH.exec(rawPath);
  if (plain === null) return parseOddPath(rawPath, upstreamPath, query, wrongForm(prefix, rawPath.includes('//')));
  return {
    kind: 'method',
    token: plain[1] as string,
    method: (plain[2] as string).toLowerCase(),
    upstreamPath,
    query,
  };
}

function parseOddPath(rawPath: string, upstreamPath: string, query: string, otherForm: Refusal): BotPath | null {
  const path = percentDecoded(rawPath);
  if (hasDotSegment(fullyDecoded(path))) return null;
  if (path.startsWith('/bot')) {
    const tokenEnd = endOfSegment(path, 4);
    if (tokenEnd === 4) return refused(otherForm);
    const method = methodAfter(path, tokenEnd);
    if (SPLITS_PATH.test(path) || hidesAnsweredMethod(method)) return refused(AMBIGUOUS);
    return ofToken({ kind: 'method', token: path.slice(4, tokenEnd), method, upstreamPath, query });
  }
  if (!path.startsWith('/file/bot') || endOfSegment(path, 9) === 9) return refused(otherForm);
  if (CONTROL.test(path)) return refused(AMBIGUOUS);
  return ofToken({ kind: 'file', token: path.slice(9, endOfSegment(path, 9)), upstreamPath });
}

/** Refuses other characters in a token: a server that cuts it off before them might read the token of our bot. */
function ofToken<Path extends BotPath & { token: string }>(path: Path): BotPath {
  return TOKEN.test(path.token) ? path : refused(UNAUTHORIZED);
}

/**
 * The path of a call that names its method in the parameters, with the method in the path, where the platform looks first.
 * Query string and parameters stay as they are.
 */
export function namedPath(path: MethodPath, method: string): MethodPath {
  const { token, query } = path;
  const test = isTestForm(path) ? 'test/' : '';
  return { ...path, method, upstreamPath: `/bot${token}/${test}${method}${query === '' ? '' : `?${query}`}` };
}

/** True if the path names the test environment of the platform. */
export function isTestForm({ token, upstreamPath }: MethodPath): boolean {
  const queryAt = upstreamPath.indexOf('?');
  const rawPath = queryAt === -1 ? upstreamPath : upstreamPath.slice(0, queryAt);
  return percentDecoded(rawPath).startsWith('/test/', '/bot'.length + token.length);
}

function refused(refusal: Refusal): BotPath {
  return { kind: 'refused', refusal };
}

function isBelow(path: string, prefix: string): boolean {
  if (prefix === '' || !path.startsWith(prefix)) return false;
  return path.length === prefix.length || path[prefix.length] === '/' || path[prefix.length] === '?';
}

function afterPrefix(url: string, prefix: string): number {
  return isBelow(url, prefix) && url.charCodeAt(prefix.length) === SLASH ? prefix.length : 0;
}

function endOfSegment(path: string, from: number): number {
  const end = path.indexOf('/', from);
  return end === -1 ? path.length : end;
}

function methodAfter(path: string, tokenEnd: number): string {
  const afterTest = path.startsWith('/test/', tokenEnd) ? tokenEnd + 5 : tokenEnd;
  return path.slice(afterTest + 1).toLowerCase();
}

/** Some servers drop what follows a semicolon in a segment. */
function hasDotSegment(path: string): boolean {
  if (!path.includes('/.') && !path.includes('\\')) return false;
  return path.split(/[/\\]/).some((segment) => /^\.\.?(;|$)/.test(segment));
}

/**
 * True if another server might read one of ANSWERED_HERE in it, because it merges slashes, cuts off an ending, drops
 * odd characters or decodes twice. No method of the platform looks like that.
 */
export function hidesAnsweredMethod(lowerCaseMethod: string): boolean {
  if (PLAIN_METHOD.test(lowerCaseMethod)) return false;
  const segments = fullyDecoded(lowerCaseMethod).toLowerCase().split('/');
  return segments.some((segment) => {
    const [first = ''] = /\w+/.exec(segment) ?? [];
    return ANSWERED_HERE.has(first) || ANSWERED_HERE.has(segment.replace(/\W/g, ''));
  });
}

/** Decodes as often as several servers in a row might. */
function fullyDecoded(text: string): string {
  let decoded = text;
  for (let pass = 0; pass < MAX_DECODINGS && decoded.includes('%'); pass++) decoded = percentDecoded(decoded);
  return decoded;
}
