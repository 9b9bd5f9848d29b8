import { exchange } from '@flotilla/runtime/http-exchange.ts';
import { Pool } from 'undici';
import { forbiddenReasons, isForbiddenError, portOf } from '../../fleet/backend-policy/backend-address.ts';
import type { BackendPolicy } from '../../fleet/backend-policy/backend-policy.ts';
import { backendConnector, NO_OWN_WAY } from '../push/backend-connector.ts';

/** Far above the answer that was asked for. */
const LONGEST_ANSWER_BYTES = 64 * 1024;
/** The client of the model has a deadline of its own, which is shorter. */
const DEADLINE_MS = 120_000;

export type ModelConnection = {
  /** A `fetch` that reaches nothing but the origin of the model, at checked addresses, and reads 64 KB of an answer. */
  fetch: typeof globalThis.fetch;
  close(): Promise<void>;
};

/** Connects to the model as backends are connected to: a forbidden or redirected address is refused. */
export function modelConnection(url: URL, connections: number, policy: BackendPolicy): ModelConnection {
  const pool = new Pool(url.origin, {
    connections,
    pipelining: 1,
    connect: backendConnector(url, NO_OWN_WAY, policy),
  });
  const forbidden = forbiddenReasons(url.hostname, portOf(url), policy);
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { pathname, search, origin } = new URL(input instanceof Request ? input.url : input);
    const reason = origin === url.origin ? forbidden() : 'another origin';
    if (reason !== null) throw new Error(`forbidden address: ${reason}`);
    const answer = await exchange(
      pool,
      {
        origin,
        path: pathname + search,
        method: init.method === 'POST' ? 'POST' : 'GET',
        headers: headersOf(init),
        body: typeof init.body === 'string' ? init.body : null,
      },
      {
        deadlineMs: DEADLINE_MS,
        signal: init.signal ?? new AbortController().signal,
        readAtMost: () => LONGEST_ANSWER_BYTES,
      },
    );
    switch (answer.outcome) {
      case 'answered': {
        if (answer.isCut) throw new Error(`the answer is longer than ${LONGEST_ANSWER_BYTES / 1024} KB`);
        const headers = { 'content-type': String(answer.headers['content-type'] ?? '') };
        return new Response(mayHaveBody(answer.status) ? answer.body.toString('utf8') : null, {
          status: answer.status,
          headers,
        });
      }
      case 'broken':
        throw isForbiddenError(answer.error) ? answer.error : new Error(`no answer: ${answer.error.message}`);
      case 'timed_out':
        throw new Error('no answer in time');
      case 'aborted':
        throw new DOMException('aborted', 'AbortError');
    }
  };
  return { fetch, close: () => pool.destroy() };
}

/** Without those in which the client describes this machine: its system, its processor and its runtime. */
function headersOf({ headers }: RequestInit): Record<string, string> {
  return Object.fromEntries([...new Headers(headers)].filter(([name]) => !name.startsWith('x-stainless-')));
}

/** The others make `new Response` throw. */
function mayHaveBody(status: number): boolean {
  return status !== 204 && status !== 205 && status !== 304;
}
