import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

/** Runs work when there is room; throws 'too_many_requests' if too much waits already. */
export type WorkLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** At most `atOnce` pieces of work run together, and `waiting` more wait, in the order of asking. */
export function workLimit({ atOnce, waiting }: { atOnce: number; waiting: number }): WorkLimit {
  let running = 0;
  const queue: (() => void)[] = [];
  const begin = async (): Promise<void> => {
    if (running < atOnce) {
      running += 1;
      return;
    }
    if (queue.length >= waiting) {
      throw new FlotillaError('too_many_requests', 'Too many passwords are being checked; try again', {
        retryAfterS: 1,
      });
    }
    // Whoever ends hands its room on, so `running` stays as it is.
    await new Promise<void>((resolve) => queue.push(resolve));
  };
  const end = () => {
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return async (work) => {
    await begin();
    try {
      return await work();
    } finally {
      end();
    }
  };
}
