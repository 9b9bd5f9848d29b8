import { type FloodedCall, isOfMethod, nameOfFlood, WHOLE_BOT } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import type { Floods } from '@flotilla/domain/delivery/flood/floods.ts';

/**
 * Chats of which a flood has been over for less than a minute, and bots of which one that held all chats has just ended. Many programs
 * may wait for that moment; if all of them called at once, most would be refused, and the next wait would be longer. So such
 * calls go one after the other, and those of such a bot at its pace.
 */
export type RecoveringChats = {
  /** False for nearly every bot. */
  hasSome(botId: number): boolean;
  /** Calls like this one wait for it, each for the one before; null if they need not. */
  lineOf(call: FloodedCall): Line | null;
  /** True for calls that take times of the bot's pace, because all its chats were flooded. */
  isPaced(call: FloodedCall): boolean;
  /** A call had to wait for its time, so others may have to as well. */
  prolong(call: FloodedCall): void;
  close(): void;
};

/** `nextAfterMs`: the next call need not wait for longer. */
export type Line = { name: string; nextAfterMs: number };

/** The longest times over which the platform counts messages of a chat and of a bot. An upload may take minutes. */
const OF_CHAT = { recoversForMs: 60_000, nextAfterMs: 1_000 };
const OF_BOT = { recoversForMs: 10_000, nextAfterMs: 0 };
const AT_MOST = 10_000;
const LOOK_EVERY_MS = 5_000;

export function recoveringChats(floods: Pick<Floods, 'onChange'>): RecoveringChats {
  /** By name. */
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
      if (atMs <= performance.now()) remove(name);
    }
    if (untilMs.size > 0) timer = setTimeout(removeOld, LOOK_EVERY_MS).unref();
  };
  const add = (call: FloodedCall) => {
    const name = nameOfFlood(call);
    const { recoversForMs } = call.place === WHOLE_BOT ? OF_BOT : OF_CHAT;
    remove(name);
    untilMs.set(name, { botId: call.botId, atMs: performance.now() + recoversForMs });
    ofBots.set(call.botId, (ofBots.get(call.botId) ?? 0) + 1);
    if (untilMs.size > AT_MOST) remove(untilMs.keys().next().value as string);
    timer ??= setTimeout(removeOld, LOOK_EVERY_MS).unref();
  };
  // A bot that makes many calls of one method, such as answers to queries, must not wait for each.
  const stop = floods.onChange(({ untilMs: until, ...call }) => {
    if (until === null && !isOfMethod(call)) add(call);
  });
  const isRecovering = (name: string) => (untilMs.get(name)?.atMs ?? 0) > performance.now();
  const wholeOf = (call: FloodedCall): FloodedCall => ({ ...call, place: WHOLE_BOT });
  return {
    isPaced: (call) => (call.family === 'send' || call.family === 'edit') && isRecovering(nameOfFlood(wholeOf(call))),
    prolong: (call) => add(wholeOf(call)),
    hasSome: (botId) => ofBots.has(botId),
    lineOf: (call) => {
      const [ofBot, ofChat] = [nameOfFlood(wholeOf(call)), nameOfFlood(call)];
      if (isRecovering(ofBot)) return { name: ofBot, nextAfterMs: OF_BOT.nextAfterMs };
      return isRecovering(ofChat) ? { name: ofChat, nextAfterMs: OF_CHAT.nextAfterMs } : null;
    },
    close: () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    },
  };
}
