const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  // The command of DATABASE_PASSWORD_COMMAND failed.
  'ENOPASSWORD',
]);

/** Node's codes for faults of certificates, such as one that expired after our start. */
const TLS_CODE = /^(CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/;

// SQLSTATE classes (PostgreSQL manual, appendix A): connection, login, resources, operator intervention, system error.
const UNAVAILABLE_CLASSES = ['08', '28', '53', '57', '58'];
const READ_ONLY_TRANSACTION = '25006';

const UNAVAILABLE_MESSAGES = [
  'Query read timeout',
  'Connection terminated',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Client was closed',
  'Cannot use a pool after calling end on the pool',
  'Postgres connection has been discarded',
  'driver has already been destroyed',
];

/**
 * Tells a database that cannot serve now (down, unreachable, refusing our login, too slow, shutting down) from a
 * refused statement. The former may be tried again unchanged; the latter would be refused again.
 */
export function isUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, cause, errors } = error as Partial<Record<'code' | 'message' | 'cause' | 'errors', unknown>>;
  // Connecting to several addresses of one name fails with one error that contains all of theirs.
  if (Array.isArray(errors) && errors.some(isUnavailable)) return true;
  if (typeof code === 'string' && isUnavailableCode(code)) return true;
  if (UNAVAILABLE_MESSAGES.some((part) => String(message).includes(part))) return true;
  return cause !== undefined && cause !== error && isUnavailable(cause);
}

/** True for faults that waiting does not end: a refused login or certificate. */
export function isRefusedLogin(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, errors } = error as Partial<Record<'code' | 'errors', unknown>>;
  if (Array.isArray(errors)) return errors.some(isRefusedLogin);
  return typeof code === 'string' && (TLS_CODE.test(code) || (code.length === 5 && code.startsWith('28')));
}

/** The SQLSTATE of an error that Postgres itself reported, '' for any other error. */
export function readSqlState(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !NETWORK_CODES.has(code) ? code : '';
}

function isUnavailableCode(code: string): boolean {
  if (NETWORK_CODES.has(code) || TLS_CODE.test(code) || code === READ_ONLY_TRANSACTION) return true;
  return code.length === 5 && UNAVAILABLE_CLASSES.includes(code.slice(0, 2));
}
