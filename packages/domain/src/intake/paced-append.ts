import type { SharedMoments } from '@flotilla/runtime/shared-moments.ts';

/** What appends of this process wait for. */
export type PacedAppends = {
  /** When small appends of this process go to Redis. Without it, each goes at once. */
  smallAppends?: SharedMoments;
  /** Large appends of this process that Redis has at once. Without it, none waits for others. */
  largeAppends?: AppendLimit;
};

/** A limiter of appends, which have no holder. */
type AppendLimit = { takeSoon(holder: '', withinMs: number): Promise<boolean>; giveBack(): void };

/** Redis takes up to 2 ms for 100 updates. Bots whose updates come one by one do not wait for appends of so many. */
const LARGE_FROM = 20;
/** Whatever else asks Redis waits behind those that it has: some 10 ms behind this many. */
export const LARGE_APPENDS_AT_ONCE = 4;
/** After this time an append goes to Redis beside the others, because those may hang at another server. */
const LARGE_APPEND_WAITS_MS = 1_000;

/**
 * Small appends that come often share a moment, because Redis stores what comes together in one step. Large ones of many
 * bots come to it little by little, so that it serves turns and polls meanwhile.
 */
export async function pacedAppend<T>(deps: PacedAppends, updates: number, append: () => Promise<T>): Promise<T> {
  if (updates < LARGE_FROM) {
    await deps.smallAppends?.next();
    return append();
  }
  const isTaken = (await deps.largeAppends?.takeSoon('', LARGE_APPEND_WAITS_MS)) ?? false;
  try {
    return await append();
  } finally {
    if (isTaken) deps.largeAppends?.giveBack();
  }
}
