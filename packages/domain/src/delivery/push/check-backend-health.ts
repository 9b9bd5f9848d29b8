import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { exchange } from '@flotilla/runtime/http-exchange.ts';
import type { BotWithBackend } from './backend.ts';
import type { BackendConnections } from './backend-connections.ts';
import { connectionFault } from './connection-fault.ts';

/** `status_code` is 0 and `error` says why if there was no answer. */
export type BackendHealth = { healthy: boolean; status_code: number; latency_ms: number; error: string | null };

const DEADLINE_MS = 5000;

/**
 * Sends one GET to the backend of a bot or of a program, and waits 5 s for the head of its answer. A status below 400, or
 * 405, is healthy. Throws FlotillaError: 'bad_request' without a backend, 'unavailable' when `signal` aborts.
 */
export async function checkBackendHealth(
  { backends }: { backends: Pick<BackendConnections, 'to'> },
  backend: BotWithBackend,
  signal: AbortSignal,
): Promise<BackendHealth> {
  if (backend.backend_url === '') {
    const owner = backend.program === undefined ? 'bot' : 'program';
    throw new FlotillaError('bad_request', `The ${owner} has no backend URL`);
  }
  const { dispatcher, origin, path, headers, forbidden } = backends.to(backend);
  if (forbidden !== null) return { healthy: false, status_code: 0, latency_ms: 0, error: forbidden };
  const { Authorization: authorization } = headers;
  const request = {
    ...{ origin, path, method: 'GET' as const },
    headers: { 'user-agent': 'flotilla', ...(authorization === undefined ? {} : { authorization }) },
  };
  const begunAtMs = performance.now();
  const answer = await exchange(dispatcher, request, { deadlineMs: DEADLINE_MS, signal, readAtMost: () => 0 });
  const latency_ms = Math.round(performance.now() - begunAtMs);
  switch (answer.outcome) {
    case 'answered':
      return { healthy: isHealthy(answer.status), status_code: answer.status, latency_ms, error: null };
    case 'timed_out':
      return { healthy: false, status_code: 0, latency_ms, error: 'Read timeout expired' };
    case 'broken':
      return { healthy: false, status_code: 0, latency_ms, error: connectionFault(answer.error, backend) };
    case 'aborted':
      throw new FlotillaError('unavailable', 'This process stops; try again', { retryAfterS: 1 });
  }
}

/** A webhook that accepts only POST answers 405 to GET; 401 or 404 comes from something else. */
function isHealthy(statusCode: number): boolean {
  return statusCode < 400 || statusCode === 405;
}
