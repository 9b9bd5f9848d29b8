import type { TurnLease } from '@flotilla/redis/turn-worker.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { UnitsInFlight } from './units-in-flight.ts';

const SHARE_MS = 5_000;
const SHARE_UNITS = 2_000;
const TRIM_EVERY_MS = 2_000;
/**
 * A turn without work is held this long, because to renew its lock costs less than to end it and begin another. Spread
 * out, because many turns may fall quiet at once.
 */
const HELD_MS = { least: 60_000, most: 90_000 };
/** Turns that are held for ever would leave nothing to a worker that starts later. */
const GREATEST_AGE_MS = { least: 180_000, most: 300_000 };
/** After this many updates, trim the log before the turn is held. */
const UNTRIMMED_AT_MOST = 50;
/** After this many while there is more work: fewer than the floor of a reader with many lanes can rise in a trim (lib/turn.lua). */
const UNITS_BETWEEN_TRIMS = 500;

/** One bot's share of a worker's time, in seconds and units. After it the next bot is served. */
export function turnShare(clock: Clock) {
  let endsAtMs = clock.nowMs() + SHARE_MS;
  let left = SHARE_UNITS;
  return {
    usedUp: () => left <= 0 || clock.nowMs() > endsAtMs,
    take: (units: number) => {
      left -= units;
    },
    /** A request that hangs must not keep the other lanes of its bot waiting for the turn's end. */
    renew: () => {
      endsAtMs = clock.nowMs() + SHARE_MS;
      left = SHARE_UNITS;
    },
  };
}

/** Until when a turn without work is held. */
export function turnHold(clock: Clock, lease: TurnLease) {
  const ageEndsAtMs = clock.nowMs() + between(GREATEST_AGE_MS);
  let endsAtMs = 0;
  let held = false;
  const renew = () => {
    endsAtMs = Math.min(clock.nowMs() + between(HELD_MS), ageEndsAtMs);
  };
  renew();
  return {
    mayHold: () => clock.nowMs() < endsAtMs && lease.mayHold(),
    wasHeld: () => held,
    wait: async ({ untilWoken }: Pick<UnitsInFlight<never>, 'untilWoken'>) => {
      held = true;
      await lease.hold(untilWoken(Math.max(0, endsAtMs - clock.nowMs())));
    },
    /** The bot has updates: the next one may come soon. */
    renew,
  };
}

/** When a claim trims the log: regularly while there is work, and after much of it. The intake trims it, too. */
export function logTrims(clock: Clock) {
  let lastMs = clock.nowMs();
  let untrimmed = 0;
  return {
    isDue: (holds: boolean) => {
      const isDue =
        clock.nowMs() - lastMs >= TRIM_EVERY_MS || untrimmed > (holds ? UNTRIMMED_AT_MOST : UNITS_BETWEEN_TRIMS);
      if (isDue) [lastMs, untrimmed] = [clock.nowMs(), 0];
      return isDue;
    },
    took: (units: number) => {
      untrimmed += units;
    },
    restart: () => {
      lastMs = clock.nowMs();
    },
  };
}

/** A random time within these bounds. */
export function between({ least, most }: { least: number; most: number }): number {
  return least + Math.random() * (most - least);
}
