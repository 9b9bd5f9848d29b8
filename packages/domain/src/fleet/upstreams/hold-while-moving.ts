import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { AtServer } from '@flotilla/telegram/platform-server.ts';
import { type Bot, isBetweenServers, type Moving } from '../bots/bot.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { serverWords } from './server-words.ts';

const SHORTEST_WAIT_S = 5;
const LONGEST_WAIT_S = 30;

/** For how many seconds a call of a bot between servers had better wait. */
export function moveWaitS({ waits_until: until }: Moving): number {
  const leftS = until === null ? 0 : Math.ceil((Date.parse(until) - Date.now()) / 1000);
  return Math.min(Math.max(leftS, SHORTEST_WAIT_S), LONGEST_WAIT_S);
}

type Known = Pick<BotDirectory, 'isConfirmed'>;

/** True if no call of the bot may go out. A process that hears nothing of a move any more cannot know how far it is. */
export function isHeldByMove(directory: Known, bot: Pick<Bot, 'moving'>): boolean {
  return isBetweenServers(bot) || (Boolean(bot.moving) && !directory.isConfirmed());
}

/**
 * The given client; it answers 429 for bots between two servers, where a call would log them in, and to callers that know a bot
 * from before it came to its server.
 */
export function holdWhileMoving(
  { directory }: { directory: Pick<BotDirectory, 'ready' | 'byToken'> & Known },
  platform: PlatformClient,
): PlatformClient {
  const moving = (token: string, at?: AtServer): PlatformAnswer | null => {
    const bot = directory.ready() ? directory.byToken(token) : undefined;
    if (bot === undefined) return null;
    if (bot.moving && isHeldByMove(directory, bot)) {
      return heldFor(moveWaitS(bot.moving), `the bot moves to ${serverWords({ upstream: bot.moving.to })}`);
    }
    // A release that knew no moves wrote no count into the mirror.
    const isStale = at?.moves !== undefined && at.moves < (bot.moves ?? 0);
    return isStale ? heldFor(1, `the bot moved to ${serverWords(bot)}`) : null;
  };
  return {
    call: async (token, method, params, options) =>
      moving(token, options?.at) ?? platform.call(token, method, params, options),
    upload: async (token, method, params, files, options) => {
      const answer = moving(token, options?.at);
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

function heldFor(retryAfterS: number, why: string): PlatformAnswer {
  const description = `Too Many Requests: ${why}, retry after ${retryAfterS}`;
  return { outcome: 'refused', errorCode: 429, description, retryAfterS };
}
