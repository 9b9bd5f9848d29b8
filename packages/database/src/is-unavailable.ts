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
]);

// SQLSTATE classes (PostgreSQL manual, appendix A): connection, resources, operator intervention, system error.
const UNAVAILABLE_CLASSES = ['08', '53', '57', '58'];
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
 * Tells a database that cannot serve now (down, unreachable, too slow, out of resources, shutting down) from a
 * statement that it refused: the first may be tried again unchanged, the second will be refused again.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (NETWORK_CODES.has(code) || code === READ_ONLY_TRANSACTION) return true;
  if (code.length === 5 && UNAVAILABLE_CLASSES.includes(code.slice(0, 2))) return true;
  if (UNAVAILABLE_MESSAGES.some((message) => error.message.includes(message))) return true;
  return error.cause !== undefined && isUnavailable(error.cause);
}
