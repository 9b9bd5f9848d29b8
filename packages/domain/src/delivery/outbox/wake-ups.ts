/** Lets one loop wait for a time or for a wake, whichever comes first. A wake before the wait is remembered. */
export type WakeUps = {
  wake(): void;
  wait(forMs: number): Promise<void>;
  stop(): void;
};

const LONGEST_MS = 60_000;

export function wakeUps(signal: AbortSignal): WakeUps {
  let woken = false;
  let resolve: (() => void) | null = null;
  const wake = () => {
    woken = true;
    resolve?.();
  };
  signal.addEventListener('abort', wake);
  return {
    wake,
    wait: async (forMs) => {
      if (!woken && !signal.aborted) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((done) => {
          resolve = done;
          timer = setTimeout(done, Math.min(forMs, LONGEST_MS));
        });
        clearTimeout(timer);
        resolve = null;
      }
      woken = false;
    },
    stop: () => signal.removeEventListener('abort', wake),
  };
}
