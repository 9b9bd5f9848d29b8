import { MOST_WAITING } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { outboxStore } from './outbox-store.ts';

/** Bounds how many entries of a bot wait that were added one by one. */
export type OutboxRoom = {
  /** Throws 'too_many_requests' if the outbox of the bot is full. */
  take(botId: number): Promise<void>;
};

/** `adds`: how many more until it is counted again. */
type Known = { isFull: boolean; adds: number; untilMs: number };

/** A count reads every entry that waits, so a process counts again only after so many, or that time. */
const ADDS = 500;
const COUNTED_EVERY_MS = 10_000;
const FULL_FOR_MS = 1_000;
const RETRY_AFTER_S = 60;
const BOTS_KNOWN = 1_000;

export function outboxRoom({ db }: { db: Database }): OutboxRoom {
  const bots = new Map<number, Known>();
  const count = async (botId: number): Promise<Known> => {
    const room = MOST_WAITING - (await outboxStore(db).countWaiting(botId, MOST_WAITING));
    const isFull = room <= 0;
    const known = {
      isFull,
      adds: Math.min(ADDS, room),
      untilMs: performance.now() + (isFull ? FULL_FOR_MS : COUNTED_EVERY_MS),
    };
    if (bots.size >= BOTS_KNOWN) bots.clear();
    bots.set(botId, known);
    return known;
  };
  return {
    take: async (botId) => {
      const before = bots.get(botId);
      const isOld = before === undefined || before.untilMs <= performance.now() || (before.adds <= 0 && !before.isFull);
      const known = isOld ? await count(botId) : before;
      if (known.isFull) {
        throw new FlotillaError('too_many_requests', `${MOST_WAITING} sends of this bot wait; add this one later`, {
          retryAfterS: RETRY_AFTER_S,
        });
      }
      known.adds -= 1;
    },
  };
}
