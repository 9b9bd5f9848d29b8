import { setTimeout as delay } from 'node:timers/promises';

/** A send that has begun, for as long as the platform may count it. */
type Counted = { begunAtMs: number; answeredAtMs: number | null; messages: number };

/**
 * Lets sends of one bot begin, in order, such that the platform never counts more in a second than the pace allows: a send
 * begins a second after the answer to the one that it would be too many with. The reserved times alone would not do, because what is sent
 * at even distances does not arrive so.
 */
export type SendGate = {
  /** Resolves when the send may begin; the function that it gives says that the answer has come. */
  enter(messages: number): Promise<() => void>;
  /** How long (ms) no more should begin because nothing is answered; 0: there are answers, or hardly anything waits for one. */
  silentMs(): number;
};

const SECOND_MS = 1_002;
/** A request without an answer is taken to have arrived by then. */
const HANGING_AFTER_MS = 1_000;
/** How much later than another one a request may arrive: by so many times what answers usually vary, and a little. */
const VARIATIONS = 4;
const ALWAYS_MS = 5;
const LOOKS_EVERY_MS = 25;
/** By how much the newest answer changes what is usual. */
const SHARE_OF_NEWEST = 0.1;
const UNKNOWN_MS = 20;
/** If the platform does not answer any more, no more than these go out into the silence, and after them one at a time. */
const INTO_SILENCE = { atOnce: 5, nextMs: 2_000 };
/** So much later than usual, an answer is late. */
const LATE_MS = 250;

export function sendGate(perSecond: () => number): SendGate {
  const lately: Counted[] = [];
  /** How long answers take, and by how much that varies. */
  const usual = { tookMs: UNKNOWN_MS, variesMs: UNKNOWN_MS };
  const open = new Set<Counted>();
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let begunAtMs = Number.NEGATIVE_INFINITY;
  let last = Promise.resolve();

  const silentMs = (): number => {
    const [oldest] = open;
    if (oldest === undefined || open.size < INTO_SILENCE.atOnce) return 0;
    const nowMs = performance.now();
    const lateMs = Math.min(usual.tookMs + VARIATIONS * usual.variesMs, HANGING_AFTER_MS) + LATE_MS;
    if (nowMs - Math.max(answeredAtMs, oldest.begunAtMs) < lateMs) return 0;
    return Math.max(0, begunAtMs + INTO_SILENCE.nextMs - nowMs);
  };
  /** By when the platform has surely counted it. */
  const arrivedAtMs = ({ begunAtMs, answeredAtMs }: Counted): number => {
    if (answeredAtMs === null) return begunAtMs + HANGING_AFTER_MS;
    const tookMs = answeredAtMs - begunAtMs;
    const laterMs = ALWAYS_MS + VARIATIONS * usual.variesMs;
    return tookMs > usual.tookMs + laterMs ? answeredAtMs : begunAtMs + Math.min(tookMs, laterMs);
  };
  const freeAtMs = (counted: Counted) => arrivedAtMs(counted) + SECOND_MS;
  /** How long the send must wait for earlier ones. */
  const waitMs = (messages: number): number => {
    let room = perSecond() - Math.min(messages, perSecond());
    for (const counted of lately.toReversed()) {
      room -= counted.messages;
      if (room < 0) return freeAtMs(counted) - performance.now();
    }
    return 0;
  };
  const forgetOld = () => {
    const nowMs = performance.now();
    const firstNeeded = lately.findIndex((counted) => freeAtMs(counted) > nowMs);
    lately.splice(0, firstNeeded === -1 ? lately.length : firstNeeded);
  };
  const pass = async (messages: number): Promise<() => void> => {
    const leftMs = () => Math.max(waitMs(messages), silentMs());
    for (let left = leftMs(); left > 0; left = leftMs()) {
      // An answer that comes meanwhile may shorten the wait.
      await delay(Math.min(left, LOOKS_EVERY_MS), undefined, { ref: false });
    }
    const counted: Counted = { begunAtMs: performance.now(), answeredAtMs: null, messages };
    forgetOld();
    lately.push(counted);
    open.add(counted);
    begunAtMs = counted.begunAtMs;
    return () => {
      counted.answeredAtMs = performance.now();
      answeredAtMs = counted.answeredAtMs;
      open.delete(counted);
      const tookMs = Math.min(counted.answeredAtMs - counted.begunAtMs, HANGING_AFTER_MS);
      usual.variesMs += (Math.abs(tookMs - usual.tookMs) - usual.variesMs) * SHARE_OF_NEWEST;
      usual.tookMs += (tookMs - usual.tookMs) * SHARE_OF_NEWEST;
    };
  };
  return {
    silentMs,
    enter: (messages) => {
      const passing = last.then(() => pass(messages));
      last = passing.then(() => undefined);
      return passing;
    },
  };
}

/** The gates of all bots of a process. */
export type SendGates = { of(botId: number, perSecond: number): SendGate };

type Known = { gate: SendGate; perSecond: number; usedAtMs: number };

const UNUSED_FOR_MS = 60_000;

export function sendGates(): SendGates {
  const gates = new Map<number, Known>();
  const openGate = (): Known => {
    const known: Omit<Known, 'gate'> = { perSecond: 1, usedAtMs: 0 };
    return Object.assign(known, { gate: sendGate(() => known.perSecond) });
  };
  let sweptAtMs = 0;
  const sweep = (nowMs: number) => {
    if (nowMs - sweptAtMs < UNUSED_FOR_MS) return;
    sweptAtMs = nowMs;
    for (const [botId, { usedAtMs }] of gates) if (nowMs - usedAtMs > UNUSED_FOR_MS) gates.delete(botId);
  };
  return {
    of: (botId, perSecond) => {
      const nowMs = performance.now();
      sweep(nowMs);
      const known: Known = gates.get(botId) ?? openGate();
      gates.set(botId, known);
      Object.assign(known, { perSecond, usedAtMs: nowMs });
      return known.gate;
    },
  };
}
