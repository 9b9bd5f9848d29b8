import { setTimeout as delay } from 'node:timers/promises';

/** A condition often calls the api: asked a hundred times a second, tests that wait would keep the machine busy. */
const INTERVAL_MS = { first: 10, longest: 300 };
const SHARE_OF_THE_WAIT = 1 / 20;

/**
 * Polls until the condition returns something truthy, and returns that. A condition that throws counts as false. The
 * longer it has waited, the longer it pauses, from 10 ms to 300 ms, or always as long as `pauseMs` says.
 * Rejects after timeoutMs (30 s) with the message and the last error of the condition.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: { timeoutMs?: number; message?: string; pauseMs?: number } = {},
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? 30_000;
  const startedMs = performance.now();
  let lastError: unknown;
  do {
    try {
      const value = await condition();
      if (value) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await delay(options.pauseMs ?? pauseAfterMs(performance.now() - startedMs));
  } while (performance.now() - startedMs < timeoutMs);
  throw new Error(`Waited ${timeoutMs} ms in vain: ${options.message ?? condition.toString()}`, { cause: lastError });
}

function pauseAfterMs(waitedMs: number): number {
  return Math.min(Math.max(INTERVAL_MS.first, waitedMs * SHARE_OF_THE_WAIT), INTERVAL_MS.longest);
}
