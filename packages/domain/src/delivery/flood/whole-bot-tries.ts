import { type FloodMemory, floodOf } from './flood-memory.ts';
import { type FloodedCall, isOfChat, nameOfFlood, WHOLE_BOT } from './flooded-call.ts';

/**
 * Lets one call to another chat find out, every few seconds, that a bot need not rest any more. Each refusal makes the platform's wait
 * longer, so the next try comes after twice the time, in all processes: they hear of the refusal.
 */
export type WholeBotTries = {
  /** True for the calls to one chat, which are the try, while the whole bot rests. */
  mayTry(call: FloodedCall): boolean;
  /** Ms until the next try. */
  nextInMs(call: FloodedCall): number;
};

const FIRST_AFTER_MS = 3_000;
/** A try that was not made or answered by then is another chat's. */
const MADE_WITHIN_MS = 2_000;
const KNOWN_AT_MOST = 1_000;

export function wholeBotTries(memory: FloodMemory): WholeBotTries {
  const tries = new Map<string, { place: string; atMs: number }>();
  const triedBy = (call: FloodedCall) => {
    const found = tries.get(wholeOf(call));
    return found !== undefined && performance.now() - found.atMs < MADE_WITHIN_MS ? found : undefined;
  };
  const nextInMs = (call: FloodedCall): number => {
    const flood = floodOf(memory.ofBot(call.botId), { ...call, place: WHOLE_BOT });
    if (flood === undefined) return 0;
    const waitMs = Math.max(FIRST_AFTER_MS, flood.heardAtMs - flood.beganAtMs);
    const current = triedBy(call);
    const busyMs = current === undefined ? 0 : current.atMs + MADE_WITHIN_MS - performance.now();
    return Math.max(flood.heardAtMs + waitMs - performance.now(), busyMs, 0);
  };
  return {
    nextInMs,
    mayTry: (call) => {
      if (!isOfChat(call) || floodOf(memory.ofBot(call.botId), call) !== undefined) return false;
      const current = triedBy(call);
      if (current?.place === call.place) return true;
      if (nextInMs(call) > 0) return false;
      const oldest = tries.keys().next();
      if (tries.size >= KNOWN_AT_MOST && !oldest.done) tries.delete(oldest.value);
      tries.delete(wholeOf(call));
      tries.set(wholeOf(call), { place: call.place, atMs: performance.now() });
      return true;
    },
  };
}

function wholeOf(call: FloodedCall): string {
  return nameOfFlood({ ...call, place: WHOLE_BOT });
}
