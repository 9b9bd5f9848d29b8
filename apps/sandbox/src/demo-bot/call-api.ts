import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

export type ApiAnswer<Body = unknown> = { status: number; body: Body & { error?: string } };

/** Calls the REST API of the sandbox as its admin. */
export async function callApi<Body>(
  { apiUrl, apiKey }: { apiUrl: string; apiKey: string },
  method: string,
  path: string,
  body?: object,
): Promise<ApiAnswer<Body>> {
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(30_000),
  });
  return { status: response.status, body: (await response.json()) as ApiAnswer<Body>['body'] };
}

/** For the person at the terminal. */
export function refused({ status, body }: ApiAnswer): FlotillaError {
  return new FlotillaError('unavailable', `The demo bots could not be registered (${status}): ${body.error}`);
}
