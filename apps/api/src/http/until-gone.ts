import type { Response } from 'express';

/** Runs work that waits, with a signal that aborts when the client has gone or one of `ends` aborts. */
export async function untilGone<T>(
  ends: readonly AbortSignal[],
  response: Response,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  // Not AbortSignal.any: thousands of polls would hang on the process's one long-lived signal.
  for (const end of ends) end.addEventListener('abort', abort);
  response.once('close', abort);
  if (ends.some(({ aborted }) => aborted)) abort();
  try {
    return await wait(gone.signal);
  } finally {
    for (const end of ends) end.removeEventListener('abort', abort);
    response.removeListener('close', abort);
  }
}
