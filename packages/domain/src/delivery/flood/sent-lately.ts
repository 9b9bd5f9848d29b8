import type { CapturedCall } from '../../records/history/stream/captured-call.ts';

/** How many messages this process saw bots send into their chats in the last minute or two. */
export type SentLately = {
  note(botId: number, call: Pick<CapturedCall, 'method' | 'params' | 'result'>): void;
  count(botId: number, chat: string): number;
};

const LATELY_MS = 60_000;
/** More chats than a process can send to in a minute; then less is remembered. */
const CHATS_AT_MOST = 50_000;
const SENDS = /^(send|forward|copy|edit)/;
const CHAT = /"chat":\{"id":(-?\d+)/;
const CHATS = new RegExp(CHAT, 'g');

export function sentLately(): SentLately {
  let [latest, before] = [new Map<string, number>(), new Map<string, number>()];
  let begunAtMs = performance.now();
  const forgetOld = () => {
    const agedMs = performance.now() - begunAtMs;
    if (agedMs < LATELY_MS && latest.size < CHATS_AT_MOST) return;
    before = agedMs < 2 * LATELY_MS ? latest : new Map();
    latest = new Map();
    begunAtMs = performance.now();
  };
  return {
    note: (botId, { method, params, result }) => {
      if (!SENDS.test(method)) return;
      forgetOld();
      // The beginning of a message names its chat. Of an album, or of copies, there are several.
      const chats = result.startsWith('[') ? [...result.matchAll(CHATS)] : [CHAT.exec(result)];
      const chat = chats[0]?.[1] ?? params.chat_id;
      if (chat === undefined) return;
      const messages = Math.max(chats.length, params.message_ids?.split(',').length ?? 1);
      latest.set(`${botId} ${chat}`, (latest.get(`${botId} ${chat}`) ?? 0) + messages);
    },
    count: (botId, chat) => {
      forgetOld();
      return (latest.get(`${botId} ${chat}`) ?? 0) + (before.get(`${botId} ${chat}`) ?? 0);
    },
  };
}
