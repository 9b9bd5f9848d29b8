import { MOST_WAITING, MOST_WAITING_BYTES } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { outboxStore, type Waiting } from './outbox-store.ts';

/** Bounds what waits of a bot that was added one by one, such that nobody uses up what others need. */
export type OutboxRoom = {
  /**
   * Throws 'too_many_requests' if as much of the sharer waits as there is room left: whoever comes next always finds half of what
   * the others have left.
   */
  take(botId: number, sharer: string, bytes: number): Promise<void>;
};

type Known = { sharers: Map<string, Waiting>; all: Waiting; adds: number; atMs: number };

/** A count reads every entry that waits, so a process counts again only after so many, or that time, and nobody waits for it. */
const ADDS = 500;
const COUNTED_EVERY_MS = 10_000;
const FULL_FOR_MS = 1_000;
const RETRY_AFTER_S = 60;
const BOTS_KNOWN = 1_000;

export function outboxRoom({ db }: { db: Database }): OutboxRoom {
  const bots = new Map<number, Known>();
  const counting = new Map<number, Promise<Known>>();
  const countNow = async (botId: number): Promise<Known> => {
    const known: Known = { sharers: new Map(), all: { entries: 0, bytes: 0 }, adds: 0, atMs: performance.now() };
    for (const { sharer, ...waiting } of await outboxStore(db).waitingBySharer(botId)) {
      known.sharers.set(sharer, waiting);
      add(known.all, waiting);
    }
    if (bots.size >= BOTS_KNOWN) bots.clear();
    bots.set(botId, known);
    return known;
  };
  /** Calls that come while one counts wait for the same count. */
  const count = (botId: number): Promise<Known> => {
    const begun = counting.get(botId) ?? countNow(botId).finally(() => counting.delete(botId));
    counting.set(botId, begun);
    return begun;
  };
  const isOld = ({ adds, atMs }: Known, forMs: number) => adds >= ADDS || performance.now() - atMs > forMs;
  return {
    take: async (botId, sharer, bytes) => {
      let known = bots.get(botId) ?? (await count(botId));
      if (isFull(known, sharer, bytes) && isOld(known, FULL_FOR_MS)) known = await count(botId);
      if (isFull(known, sharer, bytes)) throw full();
      // The last counts serve meanwhile; if Postgres is away, the entry cannot be added either.
      if (isOld(known, COUNTED_EVERY_MS)) count(botId).catch(() => undefined);
      known.adds += 1;
      const own = known.sharers.get(sharer) ?? { entries: 0, bytes: 0 };
      known.sharers.set(sharer, own);
      for (const waiting of [own, known.all]) add(waiting, { entries: 1, bytes });
    },
  };
}

function isFull({ sharers, all }: Known, sharer: string, bytes: number): boolean {
  const own = sharers.get(sharer) ?? { entries: 0, bytes: 0 };
  return own.entries + 1 > MOST_WAITING - all.entries || own.bytes + bytes > MOST_WAITING_BYTES - all.bytes;
}

function add(to: Waiting, { entries, bytes }: Waiting): void {
  to.entries += entries;
  to.bytes += bytes;
}

function full(): FlotillaError {
  return new FlotillaError('too_many_requests', 'Your share of the room of this bot is used up; add this one later', {
    retryAfterS: RETRY_AFTER_S,
  });
}
