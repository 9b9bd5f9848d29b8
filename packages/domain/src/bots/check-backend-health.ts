import { once } from 'node:events';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { StreamOptions } from 'got';
import type { ActiveProgram } from './active-program.ts';
import { forbiddenReason, guardedLookup, parseBackendUrl, portOf } from './backend-address.ts';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';

export type BackendHealth = { healthy: boolean; statusCode: number; latencyMs: number };

const DEADLINE_MS = 5000;

/**
 * Sends one GET to the backend, and waits 5 s for the head of its answer. A status below 400, or 405, is healthy. Throws FlotillaError('bad_request')
 * for a bot or a program without a backend.
 */
export async function checkBackendHealth(
  deps: Pick<BotDeps, 'backendPolicy'>,
  owner: Bot | ActiveProgram,
): Promise<BackendHealth> {
  if (owner.backendUrl === '')
    throw new FlotillaError('bad_request', `The ${'mode' in owner ? 'program' : 'bot'} has no backend URL`);
  const begunAt = performance.now();
  const elapsed = () => Math.round(performance.now() - begunAt);
  const url = parseBackendUrl(owner.backendUrl);
  if (url === null || forbiddenReason(url.hostname, portOf(url), deps.backendPolicy))
    return { healthy: false, statusCode: 0, latencyMs: 0 };
  try {
    const statusCode = await statusOf(url, {
      headers: { 'user-agent': 'flotilla' },
      decompress: false,
      throwHttpErrors: false,
      followRedirect: false,
      retry: { limit: 0 },
      timeout: { request: DEADLINE_MS },
      dnsLookup: guardedLookup(portOf(url), deps.backendPolicy),
      ...(owner.backendCertificate ? { https: { certificateAuthority: owner.backendCertificate } } : {}),
    });
    return { healthy: isHealthy(statusCode), statusCode, latencyMs: elapsed() };
  } catch {
    return { healthy: false, statusCode: 0, latencyMs: elapsed() };
  }
}

/** The status of an answer, of which no more than the head is read. */
async function statusOf(url: URL, options: StreamOptions): Promise<number> {
  // A start does not need it.
  const { default: got } = await import('got');
  const stream = got.stream(url, options);
  try {
    const [response] = (await once(stream, 'response')) as [{ statusCode: number }];
    return response.statusCode;
  } finally {
    stream.on('error', () => {});
    stream.destroy();
  }
}

/** A webhook that accepts only POST answers 405 to GET; 401 or 404 comes from something else. */
function isHealthy(statusCode: number): boolean {
  return statusCode < 400 || statusCode === 405;
}
