import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const MESSAGES = [
  'Command timed out',
  'Connection is closed',
  "Stream isn't writeable",
  "Cluster isn't ready",
  'Reached the max retries per request',
  'Connection is not available',
  'Too many Cluster redirections',
  'None of startup nodes is available',
  'Failed to refresh slots cache',
  'All sentinels are unreachable',
  // A server that has just joined has no scripts yet; `runScript` has loaded them where it could.
  'ERR Function not found',
];
/** Replies of a Redis that runs but cannot serve: loading, full, a replica, in a failover, no longer of that slot. */
const REPLIES = /^(LOADING|OOM|MISCONF|READONLY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|MOVED|ASK|UNBLOCKED)\b/;

/** True when Redis, or what takes its place, cannot serve now; false when it refused the command itself. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof FlotillaError) return error.code === 'unavailable';
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'AbortError') return true;
  return REPLIES.test(error.message) || MESSAGES.some((message) => error.message.includes(message));
}
