import { fateOf } from '@flotilla/telegram/call-fate.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';

export type WatchedPlatform = {
  platform: PlatformClient;
  /** True if a call through it was carried out, or may have been. */
  mayBeDone(): boolean;
};

/** Watches what becomes of calls that must not run twice. */
export function watchOutcome(platform: PlatformClient): WatchedPlatform {
  let mayBeDone = false;
  const note = async (answering: Promise<PlatformAnswer>): Promise<PlatformAnswer> => {
    const answer = await answering;
    const fate = fateOf(answer);
    if (fate === 'done' || fate === 'doubt') mayBeDone = true;
    return answer;
  };
  return {
    platform: {
      ...platform,
      call: (...call) => note(platform.call(...call)),
      upload: (...call) => note(platform.upload(...call)),
    },
    mayBeDone: () => mayBeDone,
  };
}
