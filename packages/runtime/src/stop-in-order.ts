import { setTimeout as delay } from 'node:timers/promises';

export type StopStep = { name: string; withinMs: number; stop: () => Promise<void> };

type Log = { warn(fields: object, message: string): void };

/** Stops one thing after the other; what fails or does not stop in its time is logged and left behind. Never rejects. */
export async function stopInOrder(log: Log, steps: StopStep[]): Promise<void> {
  for (const { name, withinMs, stop } of steps) {
    const waiting = new AbortController();
    const late = delay(withinMs, 'late' as const, { signal: waiting.signal }).catch(() => 'late' as const);
    const stopped = Promise.resolve()
      .then(stop)
      .catch((error: unknown) => log.warn({ name, reason: String(error) }, 'could not be stopped'));
    if ((await Promise.race([stopped, late])) === 'late') log.warn({ name, withinMs }, 'did not stop in time');
    waiting.abort();
  }
}
