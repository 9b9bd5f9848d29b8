import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { RequestError } from 'got';
import { type PlatformAnswer, readPlatformAnswer } from './platform-answer.ts';

export interface CallOptions {
  /** From the request's start to the whole answer; default 30 s. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** How often a call that never reached the platform's answer is sent again; only for calls that may run twice. */
  retries?: number;
}

export interface PlatformClient {
  /** Calls a Bot API method. Never throws: what can go wrong is in the answer's outcome. */
  call(token: string, method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<PlatformAnswer>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * The client for the calls the service makes on its own behalf, over kept-alive connections. `apiUrl` may carry a
 * path; a trailing slash does not matter.
 */
export function platformClient(config: { apiUrl: string }): PlatformClient {
  const base = config.apiUrl.replace(/\/+$/, '');
  const agent = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  return {
    async call(token, method, params = {}, options = {}) {
      if (options.signal?.aborted) return { outcome: 'unreachable', reason: 'aborted', timedOut: false };
      try {
        const response = await got.post(`${base}/bot${encodeToken(token)}/${method}`, {
          agent,
          body: JSON.stringify(params),
          // Exactly this type: some servers refuse it with a charset (CLIENTS rule 9).
          headers: { 'content-type': 'application/json', 'user-agent': 'flotilla' },
          throwHttpErrors: false,
          followRedirect: false,
          timeout: { request: options.timeoutMs ?? DEFAULT_TIMEOUT_MS },
          retry: { limit: options.retries ?? 0, methods: ['POST'], statusCodes: [] },
          ...(options.signal === undefined ? {} : { signal: options.signal }),
        });
        return readPlatformAnswer(response.statusCode, response.headers['retry-after'], response.body);
      } catch (error) {
        return failure(error, token, options.signal);
      }
    },
  };
}

function failure(error: unknown, token: string, signal: AbortSignal | undefined): PlatformAnswer {
  if (signal?.aborted) return { outcome: 'unreachable', reason: 'aborted', timedOut: false };
  const code = error instanceof RequestError ? error.code : '';
  const message = error instanceof Error ? error.message : 'unknown error';
  const reason = hideToken(message, token);
  if (code.startsWith('HPE_')) return { outcome: 'garbage', status: 0, reason };
  return { outcome: 'unreachable', reason, timedOut: code === 'ETIMEDOUT' };
}

function hideToken(text: string, token: string): string {
  if (token === '') return text;
  return text.replaceAll(token, '<token>').replaceAll(encodeURIComponent(token), '<token>');
}

function encodeToken(token: string): string {
  return encodeURIComponent(token).replaceAll('%3A', ':');
}
