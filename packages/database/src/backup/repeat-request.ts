import { setTimeout as delay } from 'node:timers/promises';

const TRIES = 5;
const PAUSE_MS = 500;

/**
 * Sends a request to an S3-compatible store up to five times: a store may refuse one for a moment ("slow down"), and a connection may
 * break. Aborting ends it before the next try.
 */
export async function repeatRequest<Result>(send: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const status = statusOf(error);
      if (tries === TRIES || (status !== null && status < 500 && status !== 429)) throw error;
      await delay(PAUSE_MS * 2 ** tries, undefined, { signal });
    }
  }
}

/** The status with which the store refused a request; null: it did not answer. */
export function statusOf(error: unknown): number | null {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' ? status : null;
}
