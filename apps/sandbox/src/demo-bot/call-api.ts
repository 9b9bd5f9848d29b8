import { setTimeout as delay } from 'node:timers/promises';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

export type ApiAnswer<Body = unknown> = { status: number; body: Body & { error?: string } };

const UNAVAILABLE = 503;
/** A machine that starts everything at once is busy: a store may not answer in time. */
const TRIED_FOR_MS = 60_000;
const TRY_AGAIN_MS = 1_000;

/** Calls the REST API of the sandbox as its admin. */
export async function callApi<Body>(
  { apiUrl, apiKey }: { apiUrl: string; apiKey: string },
  method: string,
  path: string,
  body?: object,
): Promise<ApiAnswer<Body>> {
  const begunAtMs = performance.now();
  for (;;) {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(30_000),
    });
    const answer = { status: response.status, body: (await response.json()) as ApiAnswer<Body>['body'] };
    if (answer.status !== UNAVAILABLE || performance.now() - begunAtMs > TRIED_FOR_MS) return answer;
    await delay(TRY_AGAIN_MS);
  }
}

/** For the person at the terminal. */
export function refused({ status, body }: ApiAnswer): FlotillaError {
  return new FlotillaError('unavailable', `The demo bots could not be registered (${status}): ${body.error}`);
}
