import { continueDeliveryJobs } from '@flotilla/domain/deliveries/run-delivery-job.ts';
import type { WorkerContext } from '../context.ts';

const LOOK_EVERY_MS = 5_000;

/** Continues redrives and discards whose process has ended. It runs beside the other upkeep, because it may take long. */
export function startDeliveryJobs(context: WorkerContext): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  const look = () => {
    running ??= continueDeliveryJobs(context, stopping.signal)
      .catch((error) =>
        context.log.warn({ reason: String(error) }, 'redrives could not be continued; this is tried again'),
      )
      .finally(() => {
        running = null;
      });
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
