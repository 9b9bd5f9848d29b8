import type { Response } from 'express';

/** Runs work that waits, with a signal that aborts when the client has gone or the process begins to stop. */
export async function untilGone<T>(
  stopping: AbortSignal,
  response: Response,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  // Not AbortSignal.any: thousands of polls would hang on the process's one long-lived signal.
  stopping.addEventListener('abort', abort);
  response.once('close', abort);
  if (stopping.aborted) abort();
  try {
    return await wait(gone.signal);
  } finally {
    stopping.removeEventListener('abort', abort);
    response.removeListener('close', abort);
  }
}
