import type { IncomingMessage } from 'node:http';

/**
 * The status for a request whose end is not certain: two kinds of framing at once (400), or a transfer coding beside
 * chunked, which would be lost with the hop (501, as at the platform). Null for a sound one.
 */
export function framingFault({ headers }: IncomingMessage): 400 | 501 | null {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return null;
  if (headers['content-length'] !== undefined) return 400;
  return coding.trim().toLowerCase() === 'chunked' ? null : 501;
}

/** Whether a body follows the headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
