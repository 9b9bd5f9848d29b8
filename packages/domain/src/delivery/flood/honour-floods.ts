import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { type FloodedCall, floodedCall } from './flooded-call.ts';
import type { Floods } from './floods.ts';

type Deps = { floods: Floods; directory: Pick<BotDirectory, 'ready' | 'byToken'> };

/**
 * The given client for calls that the service makes itself: while the platform takes no such calls of a registered bot, they get
 * its 429 without asking it. Every answer of the platform is learned from.
 */
export function honourFloods({ floods, directory }: Deps, platform: PlatformClient): PlatformClient {
  const callOf = (token: string, method: string, params: Record<string, unknown>): FloodedCall | null => {
    const bot = directory.ready() ? directory.byToken(token) : undefined;
    return bot === undefined ? null : floodedCall(bot.id, method.toLowerCase(), (name) => params[name]);
  };
  const unlessFlooded = async (
    call: FloodedCall | null,
    make: () => Promise<PlatformAnswer>,
    instead: () => void,
  ): Promise<PlatformAnswer> => {
    if (call === null) return make();
    const waitMs = floods.waitMs(call);
    if (waitMs > 0) {
      instead();
      return refusedFor(waitMs);
    }
    const begunAtMs = performance.now();
    const answer = await make();
    if (answer.outcome === 'ok') floods.passed(call, begunAtMs);
    else if (answer.outcome === 'refused' && answer.errorCode === 429) floods.note(call, answer.retryAfterS ?? 0);
    return answer;
  };
  return {
    ...platform,
    call: (token, method, params = {}, options) =>
      unlessFlooded(
        callOf(token, method, params),
        () => platform.call(token, method, params, options),
        () => undefined,
      ),
    upload: (token, method, params, files, options) =>
      unlessFlooded(
        callOf(token, method, params),
        () => platform.upload(token, method, params, files, options),
        () => {
          for (const { stream } of files) stream.destroy();
        },
      ),
  };
}

/** In the platform's words. */
export function retryAfter(leftMs: number): { seconds: number; description: string } {
  const seconds = Math.max(1, Math.ceil(leftMs / 1000));
  return { seconds, description: `Too Many Requests: retry after ${seconds}` };
}

function refusedFor(waitMs: number): PlatformAnswer {
  const { seconds: retryAfterS, description } = retryAfter(waitMs);
  return { outcome: 'refused', errorCode: 429, description, retryAfterS };
}
