import { type FloodedCall, isOfChat, nameOfFlood, WHOLE_BOT } from './flooded-call.ts';

/**
 * Tells a limit of a chat from one of the whole bot, since the platform does not say which it was. A bot that learned of the latter chat
 * by chat would go on knocking in the others, and its wait would never end.
 */
export type WholeBotWaits = {
  /** A call was refused. True if the whole bot has to wait: several chats were refused at once, and none took a message. */
  refused(call: FloodedCall): boolean;
  /** A call passed that began at this time. True if the whole bot was taken to wait, and need not. */
  passed(call: FloodedCall, begunAtMs: number): boolean;
  /** True for one call while the whole bot is taken to wait for so long: if that is wrong, it passes. */
  mayTry(call: FloodedCall, leftMs: number): boolean;
};

/** So many chats, refused within that time. */
const CHATS = 3;
const AT_ONCE_MS = 1_000;
/** For so long after such a wait, one refusal is enough. */
const REMEMBERED_MS = 10_000;
/** A shorter wait is not worth a try that may be refused. */
const TRIED_FROM_MS = 3_000;
const KNOWN_AT_MOST = 1_000;

type Known = { refusedAtMs: Map<string, number>; waitsSinceMs: number; isTaken: boolean; wasTried: boolean };

export function wholeBotWaits(): WholeBotWaits {
  const known = new Map<string, Known>();
  const find = (call: FloodedCall) => (isOfChat(call) ? known.get(keyOf(call)) : undefined);
  const begin = (call: FloodedCall): Known => {
    const oldest = known.keys().next();
    if (known.size >= KNOWN_AT_MOST && !oldest.done) known.delete(oldest.value);
    const fresh = { refusedAtMs: new Map(), waitsSinceMs: Number.NEGATIVE_INFINITY, isTaken: false, wasTried: false };
    known.set(keyOf(call), fresh);
    return fresh;
  };
  return {
    refused: (call) => {
      if (!isOfChat(call)) return false;
      const nowMs = performance.now();
      const of = find(call) ?? begin(call);
      of.refusedAtMs.set(call.place, nowMs);
      for (const [place, atMs] of of.refusedAtMs) if (nowMs - atMs > AT_ONCE_MS) of.refusedAtMs.delete(place);
      if (of.refusedAtMs.size < CHATS && nowMs - of.waitsSinceMs > REMEMBERED_MS) return false;
      if (!of.isTaken) of.wasTried = false;
      of.isTaken = true;
      of.waitsSinceMs = nowMs;
      return true;
    },
    passed: (call, begunAtMs) => {
      const of = find(call);
      if (of === undefined) return false;
      for (const [place, atMs] of of.refusedAtMs) if (atMs < begunAtMs) of.refusedAtMs.delete(place);
      if (!of.isTaken || begunAtMs <= of.waitsSinceMs) return false;
      of.isTaken = false;
      return true;
    },
    mayTry: (call, leftMs) => {
      const of = find(call);
      if (of?.isTaken !== true || of.wasTried || leftMs < TRIED_FROM_MS) return false;
      of.wasTried = true;
      return true;
    },
  };
}

function keyOf(call: FloodedCall): string {
  return nameOfFlood({ ...call, place: WHOLE_BOT });
}
