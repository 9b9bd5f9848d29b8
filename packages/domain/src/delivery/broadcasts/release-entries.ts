import type { Broadcast } from '@flotilla/contract/broadcasts.ts';

/** The most entries of a broadcast in the queue of its bot: more than any bot sends until workers look at it again. */
export const MOST_RELEASED = 500;
/** For so long, what a broadcast may send is saved up. */
const SAVED_UP_MS = 1_000;

export type Release = {
  /** How many entries may be released now. */
  entries: number;
  /** How `released_to` moves when so many were released. */
  releasedTo(released: number): Date | null;
};

/** How many entries go into the queue of the bot: as many as have room there, and as the broadcast's own pace allows since the last time. */
export function nextRelease(
  { per_second, messages, released_to }: Pick<Broadcast, 'per_second' | 'messages' | 'released_to'>,
  { released, nowMs }: { released: number; nowMs: number },
): Release {
  const room = Math.max(0, MOST_RELEASED - released);
  if (per_second === null) return { entries: room, releasedTo: () => null };
  const entryMs = (messages * 1_000) / per_second;
  const fromMs = Math.max(released_to?.getTime() ?? 0, nowMs - Math.max(SAVED_UP_MS, entryMs));
  // Times are stored in whole milliseconds.
  const allowed = Math.max(0, Math.floor((nowMs - fromMs + 1) / entryMs));
  return {
    entries: Math.min(room, allowed),
    releasedTo: (count) => new Date(Math.round(fromMs + count * entryMs)),
  };
}
