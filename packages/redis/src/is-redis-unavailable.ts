const MESSAGES = [
  'Command timed out',
  'Connection is closed',
  "Stream isn't writeable",
  'Reached the max retries per request',
  'Connection is not available',
];
/** Replies of a Redis that runs and cannot serve: loading, full, a replica, in a failover. */
const REPLIES = /^(LOADING|OOM|MISCONF|READONLY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY) /;

/** Tells a Redis that cannot serve now from a command it refused. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'AbortError') return true;
  return REPLIES.test(error.message) || MESSAGES.some((message) => error.message.includes(message));
}
