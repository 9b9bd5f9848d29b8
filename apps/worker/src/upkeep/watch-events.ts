import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { statusColumns } from '@flotilla/domain/fleet/bot-list/status-columns.ts';
import { deliverAudit } from '@flotilla/domain/watch/events/deliver-audit.ts';
import { deliverEvents } from '@flotilla/domain/watch/events/deliver-events.ts';
import { noticeAwaiting } from '@flotilla/domain/watch/events/notice-awaiting.ts';
import { noticeChanges } from '@flotilla/domain/watch/events/notice-changes.ts';
import { noticeDeadLetters } from '@flotilla/domain/watch/events/notice-dead-letters.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import type { WorkerContext } from '../context.ts';
import { repeatWork } from './repeat-work.ts';

/** From a poller's silence to the message in a chat it may take 15 s. */
const EVERY_MS = 4_000;

/** Notices what began and what is over, and tells it to whom it concerns. */
export function startEvents(deps: WorkerContext): { stop(): Promise<void> } {
  const columns = statusColumns({ ...deps, changes: { since: () => null } });
  const unsure = new Map<string, number>();
  const notice = repeatWork(deps, {
    everyMs: EVERY_MS,
    work: async (signal) => {
      if (!deps.directory.ready()) return;
      await whileAvailable(noticeChanges({ ...deps, statusColumns: columns, unsure }, EVERY_MS, signal));
      await whileAvailable(noticeDeadLetters(deps, EVERY_MS));
      await whileAvailable(noticeAwaiting(deps, EVERY_MS));
    },
    failure: 'events could not be noticed; this is tried again',
  });
  const deliver = repeatWork(deps, {
    everyMs: EVERY_MS,
    work: (signal) => whileAvailable(deliverEvents(deps, EVERY_MS, signal)),
    failure: 'events could not be delivered; this is tried again',
  });
  const audit = repeatWork(deps, {
    everyMs: EVERY_MS,
    work: (signal) => whileAvailable(deliverAudit(deps, signal)),
    failure: 'entries of the audit log could not be delivered; this is tried again',
  });
  return {
    stop: async () => {
      await Promise.all([notice.stop(), deliver.stop(), audit.stop()]);
    },
  };
}

/** The rounds of upkeep report a store that is away. */
async function whileAvailable(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isUnavailable(error) && !isRedisUnavailable(error)) throw error;
  });
}
