import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { ClaimRequest } from './claim-units.ts';
import type { ClaimedUnit, SettledUnit } from './claimed-unit.ts';
import type { SharedLimiter } from './shared-limiter.ts';
import { type UnitsInFlight, unitsInFlight } from './units-in-flight.ts';

/** What a turn asks of push and of rules: which units, handle one, and what came of it. */
export type LaneReader<Settled extends SettledUnit> = {
  /** How many units may be begun now, beside those in flight. */
  room(inFlight: number): number;
  /** One round trip to Redis: settles what was handled, claims what is due. */
  claim(request: ClaimRequest, settled: Settled[]): Promise<TurnClaim>;
  /** Handles a unit of the last claim. Never rejects. */
  handle(unit: ClaimedUnit, turn: HandlingTurn): Promise<Settled>;
  /** While units are in flight, what is new for other lanes is looked for this often. */
  lookEveryMs: number;
  /** Whether the bot's next update may come soon. */
  isLively(): boolean;
};

export type TurnClaim =
  | { outcome: 'lost' }
  | {
      outcome: 'claimed';
      fencingToken: number;
      units: ClaimedUnit[];
      nextDueMs: number | null;
      /** There is more to read from the log. */
      more: boolean;
      ended: boolean;
      /** What is to be done once these units are begun. */
      afterwards?(): Promise<void>;
    };

export type HandlingTurn = {
  fencingToken: number;
  lease: TurnLease;
  /** Somebody else may handle the same, or this process has to go: what is in flight is broken off. */
  cancel: AbortSignal;
};

type TurnDeps = {
  clock: Clock;
  /** Turns that may await their bot's next update instead of ending. */
  awaitingTurns: SharedLimiter;
};
type ClaimNow = (request: Omit<ClaimRequest, 'name' | 'held'>) => Promise<TurnClaim>;

const SHARE_MS = 5_000;
const SHARE_UNITS = 2_000;
/** How long a turn past its share waits for what is in flight, before it goes on for the other lanes. */
const WIND_DOWN_MS = 250;
const TIDY_EVERY_MS = 2_000;
const NO_ROOM_PAUSE_MS = 50;
const NO_ROOM_PAUSES = 10;
const NO_ROOM_SLEEP_MS = 1_000;
/** A short wait for the next update of a lively bot is far cheaper than ending this turn and beginning another. */
const AWAIT_MORE_MS = 500;
/** A worker that stops has to be gone within 25 s: what takes longer than this is handled again by another. */
const STOPPED_PATIENCE_MS = 6_000;

/**
 * A turn of one reader of one bot's log: claims, handles and settles, lane by lane, until nothing is due, the turn's
 * share is used up, or somebody else owns it.
 */
export async function runTurn<Settled extends SettledUnit>(
  deps: TurnDeps,
  reader: LaneReader<Settled>,
  lease: TurnLease,
  appended?: { onWake(listener: () => void): void },
): Promise<TurnOutcome> {
  const inFlight = unitsInFlight<Settled>();
  const cancel = new AbortController();
  let patience: NodeJS.Timeout | undefined;
  const windDown = () => {
    patience = setTimeout(() => cancel.abort(), STOPPED_PATIENCE_MS);
    inFlight.tell();
  };
  lease.signal.addEventListener('abort', windDown, { once: true });
  appended?.onWake(inFlight.tell);
  try {
    return await takeShare(deps, reader, lease, inFlight, cancel.signal);
  } finally {
    // Nothing is left in flight, but when the turn was lost or a claim failed: another turn handles that again.
    cancel.abort();
    lease.signal.removeEventListener('abort', windDown);
    clearTimeout(patience);
  }
}

async function takeShare<Settled extends SettledUnit>(
  deps: TurnDeps,
  reader: LaneReader<Settled>,
  lease: TurnLease,
  inFlight: UnitsInFlight<Settled>,
  cancel: AbortSignal,
): Promise<TurnOutcome> {
  const share = turnShare(deps.clock);
  const tidies = every(TIDY_EVERY_MS, deps.clock);
  const nextName = claimNames();
  const claimNow: ClaimNow = (request) =>
    reader.claim({ ...request, name: nextName(), held: lease.held }, inFlight.takeSettled());
  let fencingToken: number | null = null;
  let awaited = false;
  while (true) {
    const winding = share.usedUp() || !lease.held();
    const room = winding ? 0 : reader.room(inFlight.count());
    const drains = inFlight.count() === 0;
    const awaits = drains && !awaited && !winding && reader.isLively() && deps.awaitingTurns.offer(1) > 0;
    const end = drains && !awaits ? 'idle' : null;
    const claim = await claimNow({ fencingToken, limit: room, tidy: tidies(), end });
    if (claim.outcome === 'lost') return { next: 'idle' };
    const { units } = claim;
    fencingToken = claim.fencingToken;
    for (const unit of units) inFlight.start(reader.handle(unit, { fencingToken, lease, cancel }));
    await claim.afterwards?.();
    if (claim.ended) return { next: 'idle' };
    share.take(units.length);
    if (units.length > 0) awaited = false;

    const dueInMs = claim.nextDueMs === null ? reader.lookEveryMs : claim.nextDueMs - deps.clock.nowMs();
    const more = !winding && (claim.more || (room > units.length && dueInMs <= 0));
    if (more || inFlight.hasNews()) continue;
    if (inFlight.count() > 0) {
      await inFlight.news(waitMs(reader.lookEveryMs, { winding, room: room - units.length, dueInMs }));
      if (winding && inFlight.count() > 0) share.renew();
    } else if (winding) {
      return { next: 'again' };
    } else if (room === 0) {
      // The pending turn stays: what waits is due, and there is no telling when there will be room.
      if (!(await roomSoon(reader))) return { next: 'at', atMs: deps.clock.nowMs() + NO_ROOM_SLEEP_MS };
    } else if (claim.nextDueMs !== null) {
      return sleepUntil(claimNow, claim.fencingToken, claim.nextDueMs);
    } else if (awaits) {
      awaited = true;
      deps.awaitingTurns.take();
      await inFlight.news(AWAIT_MORE_MS);
      deps.awaitingTurns.giveBack();
    } else {
      return { next: 'again' };
    }
  }
}

/** The sleep is stored first; then the pending turn goes, unless something is due or new: that needs another turn. */
function sleepUntil(claimNow: ClaimNow, fencingToken: number, atMs: number): TurnOutcome {
  const lookAgain = async () => {
    const claim = await claimNow({ fencingToken, limit: 0, tidy: false, end: 'asleep' });
    return claim.outcome === 'claimed' && !claim.ended;
  };
  return { next: 'at', atMs, lookAgain };
}

async function roomSoon(reader: Pick<LaneReader<never>, 'room'>): Promise<boolean> {
  for (let pause = 0; pause < NO_ROOM_PAUSES; pause += 1) {
    if (reader.room(0) > 0) return true;
    await delay(NO_ROOM_PAUSE_MS);
  }
  return reader.room(0) > 0;
}

function waitMs(lookEveryMs: number, at: { winding: boolean; room: number; dueInMs: number }): number {
  if (at.winding) return WIND_DOWN_MS;
  return at.room > 0 ? Math.min(Math.max(at.dueInMs, 1), lookEveryMs) : lookEveryMs;
}

/** Short, for Redis keeps one with every unit that is claimed. */
function claimNames(): () => string {
  const turn = randomBytes(6).toString('base64url');
  let claims = 0;
  return () => {
    claims += 1;
    return `${turn}${claims}`;
  };
}

/** One bot's share of a worker's time: seconds and units, after which the next bot is served. */
function turnShare(clock: Clock) {
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

function every(periodMs: number, clock: Clock): () => boolean {
  let lastMs = clock.nowMs();
  return () => {
    const due = clock.nowMs() - lastMs >= periodMs;
    if (due) lastMs = clock.nowMs();
    return due;
  };
}
