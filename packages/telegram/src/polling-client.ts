import { exchange, type HttpAnswer, type HttpOutcome } from '@flotilla/runtime/http-exchange.ts';
import { Agent, errors } from 'undici';
import { ABORTED, type PlatformAnswer, readPlatformAnswer } from './platform-answer.ts';
import { platformConnect } from './platform-connections.ts';
import { type AtServer, environmentPath, type PlatformServer } from './platform-server.ts';
import { serverFault } from './server-fault.ts';
import { encodeToken } from './token-text.ts';

/** Asks the platform for updates, over kept-alive connections that all bots share. */
export type PollingClient = {
  /** Never throws: failures are in the answer's outcome. */
  getUpdates(
    token: string,
    params: Record<string, unknown>,
    options: { timeoutMs: number; signal: AbortSignal; at?: AtServer },
  ): Promise<PlatformAnswer>;
  close(): Promise<void>;
};

const LONGEST_TIMEOUT_MS = 120_000;

/** Polling is a hot path: with many bots of little traffic, each update takes a call of its own. */
export function pollingClient(server: PlatformServer): PollingClient {
  const { apiUrl, proxy = null } = server;
  const environment = environmentPath(server);
  const url = new URL(apiUrl);
  const path = url.pathname.replace(/\/+$/, '');
  const agent = new Agent({
    pipelining: 1,
    headersTimeout: LONGEST_TIMEOUT_MS,
    bodyTimeout: LONGEST_TIMEOUT_MS,
    ...(proxy === null ? {} : { connect: platformConnect(proxy) }),
  });
  return {
    getUpdates: async (token, params, { timeoutMs, signal }) => {
      const answer = await exchange(
        agent,
        {
          origin: url.origin,
          path: `${path}/bot${encodeToken(token)}${environment}/getUpdates`,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': 'flotilla' },
          body: JSON.stringify(params),
        },
        { deadlineMs: timeoutMs, signal, readAtMost: () => Number.POSITIVE_INFINITY },
      );
      if (answer.outcome !== 'answered') return failureOf(answer, server, token);
      const retryAfter = answer.headers['retry-after'];
      return readPlatformAnswer(
        answer.status,
        typeof retryAfter === 'string' ? retryAfter : undefined,
        answer.body.toString('utf8'),
      );
    },
    close: () => agent.destroy(),
  };
}

function failureOf(failed: Exclude<HttpOutcome, HttpAnswer>, server: PlatformServer, token: string): PlatformAnswer {
  switch (failed.outcome) {
    case 'aborted':
      return { outcome: 'unreachable', reason: ABORTED, timedOut: false };
    case 'timed_out':
      return { outcome: 'unreachable', reason: 'no answer in time', timedOut: true };
    case 'broken': {
      const { error } = failed;
      const reason = serverFault(error, server, token);
      if (error instanceof errors.HTTPParserError) return { outcome: 'garbage', status: 0, reason };
      return { outcome: 'unreachable', reason, timedOut: false };
    }
  }
}
