import type { ServerResponse } from 'node:http';

/** Runs work that waits, with a signal that aborts when the client has gone or one of `ends` aborts. */
export async function untilGone<T>(
  ends: readonly AbortSignal[],
  response: ServerResponse,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  // AbortSignal.any would add a signal for each call to the one that lives as long as the process.
  for (const end of ends) end.addEventListener('abort', abort);
  response.once('close', abort);
  // If the client left during authentication, no event reports it, and the work would never end.
  if (response.closed || ends.some(({ aborted }) => aborted)) abort();
  try {
    return await wait(gone.signal);
  } finally {
    for (const end of ends) end.removeEventListener('abort', abort);
    response.removeListener('close', abort);
  }
}
