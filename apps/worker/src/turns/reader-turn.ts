import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Round } from '@flotilla/domain/update-log/reader-step.ts';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { UnderWay } from './under-way.ts';

/** What push and rules each do in their turns: push sends to the backend, rules send as other bots. */
export type TurnReader = {
  underWay: Pick<UnderWay<never>, 'count' | 'hasNews' | 'news'>;
  /** How many units may be begun now. */
  room(): number;
  /** One round trip to Redis; begins to handle what it is handed. */
  step(round: Round): Promise<StepTaken>;
  /** While something is under way, what is new for other lanes is looked for this often. */
  lookEveryMs: number;
  /** Whether to wait a while for the bot's next update would be cheaper than to end. */
  lingers(): boolean;
  linger(): Promise<void>;
  /** Somebody else may handle the same: what is under way is broken off. */
  breakOff(): void;
};

export type StepTaken =
  | { outcome: 'lost' }
  | {
      outcome: 'ok';
      fencingToken: number;
      /** Units begun. */
      taken: number;
      nextDueMs: number | null;
      /** There is more to read from the log. */
      more: boolean;
      ended: boolean;
    };

type TakeStep = (round: Omit<Round, 'name' | 'held'>) => Promise<StepTaken>;

const SHARE_MS = 5_000;
const SHARE_UNITS = 2_000;
/** How long a turn past its share waits for what is under way, before it goes on for the other lanes. */
const WIND_DOWN_MS = 250;
const TIDY_EVERY_MS = 2_000;
const NO_ROOM_PAUSE_MS = 50;
const NO_ROOM_PAUSES = 10;
const NO_ROOM_SLEEP_MS = 1_000;

/**
 * A turn of one reader of one bot's log: hands out, handles and records, lane by lane, until nothing is due, the turn's
 * share is used up, or somebody else owns it.
 */
export async function readerTurn(deps: { clock: Clock }, reader: TurnReader, lease: TurnLease): Promise<TurnOutcome> {
  const { underWay } = reader;
  const share = turnShare(deps.clock);
  const tidies = every(TIDY_EVERY_MS, deps.clock);
  const nextName = roundNames();
  const takeStep: TakeStep = (round) => reader.step({ ...round, name: nextName(), held: lease.held });
  let fencingToken: number | null = null;
  let lingered = false;
  while (true) {
    const winding = share.usedUp() || !lease.held();
    const room = winding ? 0 : reader.room();
    const drains = underWay.count() === 0;
    const lingers = drains && !lingered && !winding && reader.lingers();
    const step = await takeStep({ fencingToken, room, tidy: tidies(), end: drains && !lingers ? 'idle' : null });
    if (step.outcome === 'lost') {
      reader.breakOff();
      return { next: 'idle' };
    }
    if (step.ended) return { next: 'idle' };
    fencingToken = step.fencingToken;
    share.take(step.taken);
    if (step.taken > 0) lingered = false;

    const dueInMs = step.nextDueMs === null ? reader.lookEveryMs : step.nextDueMs - deps.clock.nowMs();
    const more = !winding && (step.more || (room > step.taken && dueInMs <= 0));
    if (more || underWay.hasNews()) continue;
    if (underWay.count() > 0) {
      await underWay.news(waitMs(reader, { winding, room: room - step.taken, dueInMs }));
      if (winding && underWay.count() > 0) share.renew();
    } else if (winding) {
      return { next: 'again' };
    } else if (room === 0) {
      // The pending turn stays: what waits is due, and there is no telling when there will be room.
      if (!(await roomSoon(reader))) return { next: 'at', atMs: deps.clock.nowMs() + NO_ROOM_SLEEP_MS };
    } else if (step.nextDueMs !== null) {
      return sleepUntil(takeStep, step.fencingToken, step.nextDueMs);
    } else if (lingers) {
      lingered = true;
      await reader.linger();
    } else {
      return { next: 'again' };
    }
  }
}

/** The sleep is stored first; then the pending turn goes, unless something is due or new: that needs another turn. */
function sleepUntil(takeStep: TakeStep, fencingToken: number, atMs: number): TurnOutcome {
  const lookAgain = async () => {
    const step = await takeStep({ fencingToken, room: 0, tidy: false, end: 'asleep' });
    return step.outcome === 'ok' && !step.ended;
  };
  return { next: 'at', atMs, lookAgain };
}

async function roomSoon(reader: TurnReader): Promise<boolean> {
  for (let pause = 0; pause < NO_ROOM_PAUSES; pause += 1) {
    if (reader.room() > 0) return true;
    await delay(NO_ROOM_PAUSE_MS);
  }
  return reader.room() > 0;
}

function waitMs(reader: TurnReader, at: { winding: boolean; room: number; dueInMs: number }): number {
  if (at.winding) return WIND_DOWN_MS;
  return at.room > 0 ? Math.min(Math.max(at.dueInMs, 1), reader.lookEveryMs) : reader.lookEveryMs;
}

/** Short, for Redis keeps one with every update that is handed out. */
function roundNames(): () => string {
  const turn = randomBytes(6).toString('base64url');
  let rounds = 0;
  return () => {
    rounds += 1;
    return `${turn}${rounds}`;
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
