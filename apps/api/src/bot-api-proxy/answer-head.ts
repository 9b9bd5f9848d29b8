import type { AsProgram } from './forward.ts';
import { forwardedResponseHeaders } from './headers.ts';
import { SecretMask, withoutSecret } from './programs/secret-mask.ts';

/** The headers of an answer as the client sees them. */
export function shownHeaders(asProgram: AsProgram | null, raw: Buffer[]): string[] {
  const headers = forwardedResponseHeaders(raw);
  if (asProgram === null) return headers;
  for (let at = 0; at < headers.length; at++) headers[at] = withoutSecret(asProgram.secret, headers[at] as string);
  return headers;
}

export function shownText(asProgram: AsProgram | null, statusText: string): string {
  return asProgram === null ? statusText : withoutSecret(asProgram.secret, statusText);
}

/** Keeps the secret out of the body of an answer; null if the body passes as it is. */
export function maskOf(asProgram: AsProgram | null, status: number): SecretMask | null {
  if (asProgram === null || (asProgram.isFile && status < 300)) return null;
  return new SecretMask(asProgram.secret);
}

/** -1 if it is unknown. */
export function bodyLength(contentLength: string | string[] | undefined): number {
  return typeof contentLength === 'string' ? Number(contentLength) : -1;
}
