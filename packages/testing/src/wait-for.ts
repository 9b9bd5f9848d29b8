import { setTimeout as delay } from 'node:timers/promises';

const INTERVAL_MS = 10;

/**
 * Polls until the condition returns something truthy, and returns that. A condition that throws counts as false.
 * Rejects after timeoutMs (10 s) with the message and the last error of the condition.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: { timeoutMs?: number; message?: string } = {},
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? 10_000;
  const deadlineMs = performance.now() + timeoutMs;
  let lastError: unknown;
  do {
    try {
      const value = await condition();
      if (value) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await delay(INTERVAL_MS);
  } while (performance.now() < deadlineMs);
  throw new Error(`Waited ${timeoutMs} ms in vain: ${options.message ?? condition.toString()}`, { cause: lastError });
}
