import { type FloodedCall, nameOfFlood, WHOLE_BOT } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import type { Floods } from '@flotilla/domain/delivery/flood/floods.ts';

/**
 * Chats of which a flood is over for no longer than a minute. Many programs may wait for that moment; if all of them called at once,
 * most would be refused, and the next wait would be longer. So calls to such a chat go one after the other.
 */
export type RecoveringChats = {
  /** False for nearly every bot. */
  hasSome(botId: number): boolean;
  has(call: FloodedCall): boolean;
  close(): void;
};

/** The longest time over which the platform counts messages. */
const RECOVERS_FOR_MS = 60_000;
const AT_MOST = 10_000;
const LOOK_EVERY_MS = 5_000;

export function recoveringChats(floods: Pick<Floods, 'onChange'>): RecoveringChats {
  /** By name, those that recover first before the others. */
  const untilMs = new Map<string, { botId: number; atMs: number }>();
  const ofBots = new Map<number, number>();
  let timer: NodeJS.Timeout | null = null;

  const remove = (name: string) => {
    const found = untilMs.get(name);
    if (found === undefined) return;
    untilMs.delete(name);
    const left = (ofBots.get(found.botId) ?? 1) - 1;
    if (left === 0) ofBots.delete(found.botId);
    else ofBots.set(found.botId, left);
  };
  const removeOld = () => {
    timer = null;
    for (const [name, { atMs }] of untilMs) {
      if (atMs > performance.now()) break;
      remove(name);
    }
    if (untilMs.size > 0) timer = setTimeout(removeOld, LOOK_EVERY_MS).unref();
  };
  const add = (call: FloodedCall) => {
    const name = nameOfFlood(call);
    remove(name);
    untilMs.set(name, { botId: call.botId, atMs: performance.now() + RECOVERS_FOR_MS });
    ofBots.set(call.botId, (ofBots.get(call.botId) ?? 0) + 1);
    if (untilMs.size > AT_MOST) remove(untilMs.keys().next().value as string);
    timer ??= setTimeout(removeOld, LOOK_EVERY_MS).unref();
  };
  // Calls without a chat are of many kinds, so a bot that sends many of them must not wait for each.
  const stop = floods.onChange(({ untilMs: until, ...call }) => {
    if (until === null && call.place !== WHOLE_BOT) add(call);
  });
  return {
    hasSome: (botId) => ofBots.has(botId),
    has: (call) => (untilMs.get(nameOfFlood(call))?.atMs ?? 0) > performance.now(),
    close: () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    },
  };
}
