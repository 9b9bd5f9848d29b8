import { type FloodMemory, floodOf } from './flood-memory.ts';
import { type FloodedCall, isOfChat, nameOfFlood } from './flooded-call.ts';
import type { SentLately } from './sent-lately.ts';

/**
 * Chats of which no limit of their own can explain a refusal: the bot sent next to nothing into them lately, and they were not flooded.
 * Only a refusal in one of them tells of the whole bot, since the platform does not say which limit it was. Somebody who fills
 * other chats, however many, tells nothing of it.
 */
export type QuietChats = {
  /** To be asked before the refusal of this call is noted. */
  isQuiet(call: FloodedCall): boolean;
  close(): void;
};

/** Far less than the platform takes in a chat within that time. */
const SENT_AT_MOST = 3;
const LATELY_MS = 60_000;
const CHAT_ID = /^-?\d+$/;

export function quietChats(sent: Pick<SentLately, 'count'>, memory: FloodMemory): QuietChats {
  /** When (of performance.now()) the latest flood of a chat was over, oldest first. */
  const overAtMs = new Map<string, number>();
  const stop = memory.onChange(({ untilMs, ...call }) => {
    if (untilMs !== null || !isOfChat(call)) return;
    const name = nameOfFlood(call);
    const nowMs = performance.now();
    for (const [oldest, atMs] of overAtMs) {
      if (nowMs - atMs < LATELY_MS) break;
      overAtMs.delete(oldest);
    }
    overAtMs.delete(name);
    overAtMs.set(name, nowMs);
  });
  const wasFlooded = (call: FloodedCall): boolean =>
    floodOf(memory.ofBot(call.botId), call) !== undefined ||
    performance.now() - (overAtMs.get(nameOfFlood(call)) ?? Number.NEGATIVE_INFINITY) < LATELY_MS;
  return {
    // Sends to a name are counted for the id of its chat.
    isQuiet: (call) =>
      CHAT_ID.test(call.place) && !wasFlooded(call) && sent.count(call.botId, call.place) <= SENT_AT_MOST,
    close: stop,
  };
}
