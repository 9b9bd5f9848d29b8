import { Agent, errors } from 'undici';
import { type PlatformAnswer, readPlatformAnswer } from './platform-answer.ts';
import { encodeToken, hideToken } from './token-text.ts';

/** Asks the platform for updates, over kept-alive connections that all bots share. */
export type PollingClient = {
  /** Never throws: failures are in the answer's outcome. */
  getUpdates(
    token: string,
    params: Record<string, unknown>,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<PlatformAnswer>;
  close(): Promise<void>;
};

const LONGEST_TIMEOUT_MS = 120_000;

/** Polling is a hot path: with many bots of little traffic, each update takes a call of its own. */
export function pollingClient(config: { apiUrl: string }): PollingClient {
  const url = new URL(config.apiUrl);
  const path = url.pathname.replace(/\/+$/, '');
  const agent = new Agent({ pipelining: 1, headersTimeout: LONGEST_TIMEOUT_MS, bodyTimeout: LONGEST_TIMEOUT_MS });
  return {
    getUpdates: async (token, params, { timeoutMs, signal }) => {
      const deadline = new AbortController();
      const stop = () => deadline.abort();
      const timer = setTimeout(stop, timeoutMs);
      signal.addEventListener('abort', stop);
      try {
        const response = await agent.request({
          origin: url.origin,
          path: `${path}/bot${encodeToken(token)}/getUpdates`,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': 'flotilla' },
          body: JSON.stringify(params),
          signal: deadline.signal,
        });
        const retryAfter = response.headers['retry-after'];
        return readPlatformAnswer(
          response.statusCode,
          typeof retryAfter === 'string' ? retryAfter : undefined,
          await response.body.text(),
        );
      } catch (error) {
        return failureOf(error, token, { aborted: signal.aborted, timedOut: deadline.signal.aborted });
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      }
    },
    close: () => agent.destroy(),
  };
}

function failureOf(error: unknown, token: string, why: { aborted: boolean; timedOut: boolean }): PlatformAnswer {
  if (why.aborted) return { outcome: 'unreachable', reason: 'aborted', timedOut: false };
  if (why.timedOut) return { outcome: 'unreachable', reason: 'no answer in time', timedOut: true };
  const reason = hideToken(error instanceof Error ? error.message : String(error), token);
  if (error instanceof errors.HTTPParserError) return { outcome: 'garbage', status: 0, reason };
  return { outcome: 'unreachable', reason: reason === '' ? 'the connection failed' : reason, timedOut: false };
}
