import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { UploadedFile } from '@flotilla/telegram/uploaded-file.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { UnreachableBots } from './unreachable-bots.ts';

type Deps = { unreachable: UnreachableBots; directory: Pick<BotDirectory, 'ready' | 'byToken'> };

/** The given client, whose answers tell which bots reach the platform. */
export function watchReach({ unreachable, directory }: Deps, platform: PlatformClient): PlatformClient {
  const learn = (token: string, begunAtMs: number, answer: PlatformAnswer) => {
    const bot = directory.ready() ? directory.byToken(token) : undefined;
    if (bot !== undefined) unreachable.learn(bot, answer, begunAtMs);
  };
  return {
    ...platform,
    call: async (token, ...call) => {
      const begunAtMs = performance.now();
      const answer = await platform.call(token, ...call);
      learn(token, begunAtMs, answer);
      return answer;
    },
    upload: async (token, method, params, files, options) => {
      const begunAtMs = performance.now();
      const answer = await platform.upload(token, method, params, files, options);
      if (!files.some(isBroken)) learn(token, begunAtMs, answer);
      return answer;
    },
  };
}

/** A file that could not be read says nothing about the way to the platform. */
function isBroken({ stream }: UploadedFile): boolean {
  return stream.errored !== null;
}
