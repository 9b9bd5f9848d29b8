import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Claimed, ClaimLost, ClaimRequest } from './claim-units.ts';
import type { ClaimedUnit, SettledUnit } from './claimed-unit.ts';
import { between, logTrims, turnHold, turnShare } from './turn-limits.ts';
import { type UnitsInFlight, unitsInFlight } from './units-in-flight.ts';

/** The parts of a turn that push, programs and rules implement: claim units, handle one, report its outcome. */
export type LaneReader<Settled extends SettledUnit> = {
  /** How many more units may begin now, beside those in flight. */
  room(inFlight: number): number;
  /** True when no room is likely to come free soon: the requests that hold it get no answer. */
  isStuck(): boolean;
  /** One round trip to Redis: settles handled units and claims due ones. */
  claim(request: ClaimRequest, settled: Settled[]): Promise<TurnClaim>;
  /** Handles a unit of the last claim. Never rejects. */
  handle(unit: ClaimedUnit, turn: HandlingTurn): Promise<Settled>;
  /** How often to look for new work in other lanes while units are in flight. */
  lookEveryMs: number;
  /** True: end the turn, so that the next one begins with its checks (of a program: the token of its webhook has expired). */
  mustEnd?(): boolean;
};

export type TurnClaim =
  | ClaimLost
  | (Claimed & {
      /** The log has more to read. */
      more: boolean;
      /** Work for the moment when these units have begun. */
      afterwards?(): Promise<void>;
    });

export type HandlingTurn = {
  fencingToken: number;
  lease: TurnLease;
  /** Aborts the requests in flight: another turn may handle the same units, or this process must stop. */
  cancel: AbortSignal;
};

type TurnDeps = { clock: Clock };
/** How a turn hears of new updates. */
type TurnNews = { onWake(listener: () => void): void };
type ClaimNow = (request: Omit<ClaimRequest, 'name' | 'ownsTurn'>) => Promise<TurnClaim>;

/** How long a turn past its share waits for units in flight, before it takes a new share for the other lanes. */
const WIND_DOWN_MS = 250;
const NO_ROOM_PAUSE_MS = 50;
const NO_ROOM_PAUSES = 10;
const NO_ROOM_SLEEP_MS = 1_000;
/** Thousands of bots may wait for one hanging host; spread out, their turns cost little and leave the others' alone. */
const STUCK_SLEEP_MS = { least: 5_000, most: 15_000 };
/** A worker must stop within 25 s. Units that take longer than this are aborted and handled again by another one. */
const STOPPED_TIMEOUT_MS = 6_000;

/**
 * Runs a turn of one reader of one bot's log. It claims, handles and settles lane by lane, until nothing is due, its
 * share is used up, or another turn owns the reader.
 */
export async function runTurn<Settled extends SettledUnit>(
  deps: TurnDeps,
  reader: LaneReader<Settled>,
  lease: TurnLease,
  news: TurnNews,
): Promise<TurnOutcome> {
  const inFlight = unitsInFlight<Settled>();
  const cancel = new AbortController();
  let cancelTimer: NodeJS.Timeout | undefined;
  const windDown = () => {
    cancelTimer = setTimeout(() => cancel.abort(), STOPPED_TIMEOUT_MS);
    inFlight.wake();
  };
  lease.signal.addEventListener('abort', windDown, { once: true });
  news.onWake(inFlight.wake);
  try {
    return await claimUntilDone(deps, reader, lease, inFlight, cancel.signal);
  } finally {
    // Units are left in flight only when the turn was lost or a claim failed. Another turn handles them again.
    cancel.abort();
    lease.signal.removeEventListener('abort', windDown);
    clearTimeout(cancelTimer);
  }
}

async function claimUntilDone<Settled extends SettledUnit>(
  deps: TurnDeps,
  reader: LaneReader<Settled>,
  lease: TurnLease,
  inFlight: UnitsInFlight<Settled>,
  cancel: AbortSignal,
): Promise<TurnOutcome> {
  const share = turnShare(deps.clock);
  const hold = turnHold(deps.clock, lease);
  const trims = logTrims(deps.clock);
  const nextName = claimNames();
  const claimNow: ClaimNow = (request) =>
    reader.claim({ ...request, name: nextName(), ownsTurn: lease.ownsTurn }, inFlight.takeSettled());
  let fencingToken: number | null = null;
  while (true) {
    const plan = planClaim(reader, lease, {
      inFlight: inFlight.count(),
      shareIsUsedUp: share.usedUp(),
      mayHold: hold.mayHold(),
    });
    const { room: limit, end } = plan;
    const claim = await claimNow({ fencingToken, limit, trim: trims.isDue(end === 'hold'), end });
    // Another turn may have taken over the held one and ended; updates since then woke nobody, so look again.
    if (claim.outcome === 'lost') return { next: hold.wasHeld() ? 'again' : 'idle' };
    const { units } = claim;
    fencingToken = claim.fencingToken;
    for (const unit of units) inFlight.start(reader.handle(unit, { fencingToken, lease, cancel }));
    await claim.afterwards?.();
    if (claim.ended) return { next: 'idle' };
    share.take(units.length);
    if (units.length > 0) {
      hold.renew();
      trims.took(units.length);
    }

    const then = afterClaim(claim, plan, inFlight, { lookEveryMs: reader.lookEveryMs, nowMs: deps.clock.nowMs() });
    switch (then.next) {
      case 'claim':
        break;
      case 'wait':
        await inFlight.untilWoken(then.withinMs);
        if (plan.windsDown && !plan.mustEnd && inFlight.count() > 0) share.renew();
        break;
      case 'hold':
        await hold.wait(inFlight);
        share.renew();
        trims.restart();
        break;
      case 'find room':
        // The pending turn stays, because the units that wait are due, and it is unknown when there will be room.
        if (reader.isStuck()) return { next: 'at', atMs: deps.clock.nowMs() + between(STUCK_SLEEP_MS) };
        if (!(await roomSoon(reader))) return { next: 'at', atMs: deps.clock.nowMs() + NO_ROOM_SLEEP_MS };
        break;
      case 'sleep':
        return sleepUntil(claimNow, claim.fencingToken, then.untilMs);
      case 'end':
        return { next: 'again' };
    }
  }
}

/** The arguments of the next claim. */
type ClaimPlan = {
  mustEnd: boolean;
  /** It claims no units: those in flight are only settled. */
  windsDown: boolean;
  room: number;
  end: 'hold' | 'idle' | null;
};

function planClaim(
  reader: Pick<LaneReader<never>, 'room' | 'mustEnd'>,
  lease: TurnLease,
  now: { inFlight: number; shareIsUsedUp: boolean; mayHold: boolean },
): ClaimPlan {
  const mustEnd = reader.mustEnd?.() ?? false;
  const windsDown = mustEnd || now.shareIsUsedUp || !lease.ownsTurn();
  const isIdle = now.inFlight === 0;
  return {
    mustEnd,
    windsDown,
    room: windsDown ? 0 : reader.room(now.inFlight),
    end: !isIdle || mustEnd ? null : windsDown || !now.mayHold ? 'idle' : 'hold',
  };
}

type AfterClaim =
  | { next: 'claim' }
  /** Until a unit was handled, or there is news. */
  | { next: 'wait'; withinMs: number }
  | { next: 'hold' }
  | { next: 'find room' }
  | { next: 'sleep'; untilMs: number }
  | { next: 'end' };

function afterClaim(
  claim: TurnClaim & { outcome: 'claimed' },
  { mustEnd, windsDown, room }: ClaimPlan,
  inFlight: Pick<UnitsInFlight<never>, 'count' | 'hasSettled' | 'isWoken'>,
  { lookEveryMs, nowMs }: { lookEveryMs: number; nowMs: number },
): AfterClaim {
  const dueInMs = claim.nextDueMs === null ? lookEveryMs : claim.nextDueMs - nowMs;
  const roomLeft = room - claim.units.length;
  const hasMore = !windsDown && (claim.more || (roomLeft > 0 && dueInMs <= 0));
  if (hasMore || inFlight.isWoken()) return { next: 'claim' };
  if (inFlight.count() > 0 || inFlight.hasSettled()) {
    if (windsDown && !mustEnd) return { next: 'wait', withinMs: WIND_DOWN_MS };
    return { next: 'wait', withinMs: roomLeft > 0 ? Math.min(Math.max(dueInMs, 1), lookEveryMs) : lookEveryMs };
  }
  if (windsDown) return { next: 'end' };
  if (claim.held) return { next: 'hold' };
  if (room === 0) return { next: 'find room' };
  return claim.nextDueMs === null ? { next: 'end' } : { next: 'sleep', untilMs: claim.nextDueMs };
}

/** Stores the sleep before it takes the pending turn away; if something is due or new by then, another turn runs. */
function sleepUntil(claimNow: ClaimNow, fencingToken: number, atMs: number): TurnOutcome {
  const lookAgain = async () => {
    const claim = await claimNow({ fencingToken, limit: 0, trim: false, end: 'asleep' });
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

/** Names are short, because Redis stores one with every claimed unit. */
function claimNames(): () => string {
  const turn = randomBytes(6).toString('base64url');
  let claims = 0;
  return () => {
    claims += 1;
    return `${turn}${String(claims).padStart(7, '0')}`;
  };
}
