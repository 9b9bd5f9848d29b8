import { paceKeys } from '@flotilla/redis/call-keys.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import { chatIdOfResult } from '@flotilla/telegram/chat-id.ts';
import type { CapturedCall } from './captured-call.ts';

/** How many times of a bot and of a chat are kept for whoever reserves the next ones: the most that a pace may allow. */
export const TIMES_KEPT = { ofBot: 1000, ofChat: 100 };
/** For how long a time matters to the limits of a bot and of a group. */
const MATTERS_MS = { ofBot: 1050, ofChat: 61_000 };

const SENDS = /^(send|forward|copy|edit)/;

/** Notes calls that went out without a reserved time, such as those of a program, so that the outbox waits for them. */
export async function noteSends(
  { redis }: { redis: RedisHandles },
  botId: number,
  calls: readonly CapturedCall[],
): Promise<void> {
  const sends = calls.flatMap(({ method, params, result, paced }) => {
    if (paced === true || !SENDS.test(method)) return [];
    const sent: unknown = JSON.parse(result);
    const chatId = chatIdOfResult(sent, params.chat_id);
    const messages = Array.isArray(sent) ? sent.length : 1;
    return chatId === null ? [] : [{ chatId, messages, ofBot: paced === 'ofBot' ? messages - 1 : messages }];
  });
  if (sends.length === 0) return;
  const { bot, chatPrefix } = paceKeys(botId);
  await scripts.noteSends(
    redis.commands,
    { bot },
    {
      ...{ chatPrefix, windowMs: MATTERS_MS.ofBot, chatWindowMs: MATTERS_MS.ofChat },
      ...{ kept: TIMES_KEPT.ofBot, keptOfChat: TIMES_KEPT.ofChat, sends },
    },
  );
}
