import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';

export type WatchedPlatform = {
  platform: PlatformClient;
  /** True if a call through it was carried out, or may have been. */
  mayBeDone(): boolean;
};

const TOO_MANY_REQUESTS = 429;

/** Watches what becomes of calls that must not run twice. */
export function watchOutcome(platform: PlatformClient): WatchedPlatform {
  let mayBeDone = false;
  const note = async (answering: Promise<PlatformAnswer>): Promise<PlatformAnswer> => {
    const answer = await answering;
    if (!isUndone(answer)) mayBeDone = true;
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

/** True if the platform surely did nothing: it said so, or never got the call. */
function isUndone(answer: PlatformAnswer): boolean {
  switch (answer.outcome) {
    case 'ok':
      return false;
    case 'refused':
      return true;
    case 'unreachable':
      return answer.neverSent === true;
    case 'garbage':
      // A gateway that answers 5xx does not know what the platform did.
      return answer.status === TOO_MANY_REQUESTS;
  }
}
