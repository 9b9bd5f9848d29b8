import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import { isBetweenServers, type Moving } from '../bots/bot.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { serverWords } from './server-words.ts';

const SHORTEST_WAIT_S = 5;
const LONGEST_WAIT_S = 30;

/** For how many seconds a call of a bot between servers had better wait. */
export function moveWaitS({ waits_until: until }: Moving): number {
  const leftS = until === null ? 0 : Math.ceil((Date.parse(until) - Date.now()) / 1000);
  return Math.min(Math.max(leftS, SHORTEST_WAIT_S), LONGEST_WAIT_S);
}

/** The given client; it answers 429 for bots between two servers, where a call would log them in. */
export function holdWhileMoving(
  { directory }: { directory: Pick<BotDirectory, 'ready' | 'byToken'> },
  platform: PlatformClient,
): PlatformClient {
  const moving = (token: string): PlatformAnswer | null => {
    const bot = directory.ready() ? directory.byToken(token) : undefined;
    if (bot === undefined || !bot.moving || !isBetweenServers(bot)) return null;
    const retryAfterS = moveWaitS(bot.moving);
    const reason = `the bot moves to ${serverWords({ upstream: bot.moving.to })}, retry after ${retryAfterS}`;
    return { outcome: 'refused', errorCode: 429, description: `Too Many Requests: ${reason}`, retryAfterS };
  };
  return {
    call: async (token, ...call) => moving(token) ?? platform.call(token, ...call),
    upload: async (token, method, params, files, options) => {
      const answer = moving(token);
      if (answer === null) return platform.upload(token, method, params, files, options);
      for (const { stream } of files) stream.destroy();
      return answer;
    },
    openFile: async (token, path, part) =>
      moving(token) === null
        ? platform.openFile(token, path, part)
        : { outcome: 'unreachable', reason: 'the bot moves to another server', timedOut: false },
  };
}
