import { percentDecoded } from '@flotilla/telegram/parameters/percent-decoded.ts';
/** What a request path names; `upstreamPath` is the part after our prefix, byte for byte, with its query string. */
export type BotPath =
  | { kind: 'method'; token: string; method: string; upstreamPath: string; query: string }
  | { kind: 'file'; token: string; upstreamPath: string };

const SLASH = 47;

/** Whether a request belongs to the Bot API proxy and not to the rest of the service. */
export function isBotApiPath(url: string, prefix: string): boolean {
  const at = afterPrefix(url, prefix);
  return url.startsWith('/bot', at) || url.startsWith('/file/bot', at);
}

/**
 * Reads `/bot<token>/[test/]<method>` and `/file/bot<token>/<path>`, with or without our prefix. Token and method
 * are percent-decoded first, as the platform does, so that no spelling slips past an interception; the method comes
 * in lower case and is '' where the path names none. Null for other paths and for dot segments, encoded or not.
 */
export function parseBotPath(url: string, prefix: string): BotPath | null {
  const start = afterPrefix(url, prefix);
  const queryAt = url.indexOf('?', start);
  const rawPath = queryAt === -1 ? url.slice(start) : url.slice(start, queryAt);
  const path = rawPath.includes('%') ? percentDecoded(rawPath) : rawPath;
  if (hasDotSegment(path)) return null;
  const upstreamPath = start === 0 ? url : url.slice(start);
  if (path.startsWith('/bot')) {
    const tokenEnd = endOfSegment(path, 4);
    const method = methodAfter(path, tokenEnd);
    const query = queryAt === -1 ? '' : url.slice(queryAt + 1);
    return { kind: 'method', token: path.slice(4, tokenEnd), method, upstreamPath, query };
  }
  if (!path.startsWith('/file/bot')) return null;
  return { kind: 'file', token: path.slice(9, endOfSegment(path, 9)), upstreamPath };
}

function afterPrefix(url: string, prefix: string): number {
  return prefix !== '' && url.startsWith(prefix) && url.charCodeAt(prefix.length) === SLASH ? prefix.length : 0;
}

function endOfSegment(path: string, from: number): number {
  const end = path.indexOf('/', from);
  return end === -1 ? path.length : end;
}

function methodAfter(path: string, tokenEnd: number): string {
  const afterTest = path.startsWith('/test/', tokenEnd) ? tokenEnd + 5 : tokenEnd;
  return path.slice(afterTest + 1).toLowerCase();
}

function hasDotSegment(path: string): boolean {
  if (!path.includes('/.') && !path.includes('\\')) return false;
  return path.split(/[/\\]/).some((segment) => segment === '.' || segment === '..');
}
