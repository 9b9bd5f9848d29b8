import type { PlatformServer } from './platform-server.ts';
import { hideToken } from './token-text.ts';

/** By Node's `code` of the error. */
const FAULTS: Record<string, string> = {
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  UND_ERR_CONNECT_TIMEOUT: 'it takes no connection in time',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

type Fault = Error & { code?: unknown; syscall?: unknown; shown?: unknown };

/**
 * Why a server gave no answer, for whoever sees a bot of it: without its address, that of a proxy on the way there, and the token. The
 * operator is told all but the token.
 */
export function serverFault(error: unknown, { noteFailure }: PlatformServer, token: string): string {
  const message = hideToken(messageOf(error), token);
  const shown = faultWords(error);
  if (shown === null) return message;
  noteFailure?.(message);
  return shown;
}

/** Why a connection failed, without an address; null: the message of the error names none. */
export function faultWords(error: unknown): string | null {
  for (const { code, syscall, shown } of causesOf(error)) {
    if (typeof shown === 'string') return shown;
    if (typeof code !== 'string') continue;
    if (Object.hasOwn(FAULTS, code)) return `${FAULTS[code]} (${code})`;
    // The message of the system names an address.
    if (typeof syscall === 'string') return `${syscall} ${code}`;
  }
  return null;
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  // An error for several addresses of one host has a code, and no message.
  return error.message || ('code' in error ? String(error.code) : error.name);
}

function causesOf(error: unknown): Fault[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}
