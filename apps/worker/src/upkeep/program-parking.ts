import { parkPrograms } from '@flotilla/domain/programs/park-programs.ts';
import type { WorkerContext } from '../context.ts';

const LOOK_EVERY_MS = 20_000;

/** Parks programs that stay too far behind. It may take minutes, so it runs beside the other upkeep. */
export function startProgramParking(context: WorkerContext): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  const look = () => {
    if (!context.directory.ready()) return;
    running ??= parkPrograms(context, context.config.programLimit, stopping.signal)
      .catch((error) =>
        context.log.warn({ reason: String(error) }, 'programs could not be checked or parked; this is tried again'),
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
