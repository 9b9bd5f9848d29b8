import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { Installation } from './follow-installation.ts';

/** True for methods that change nothing at the platform. getUpdates confirms updates, so it is none. */
export function isRead(method: string): boolean {
  const name = method.toLowerCase();
  return name.startsWith('get') && name !== 'getupdates';
}

/** It is tried again later, if this installation takes over. */
const NOT_SENT: PlatformAnswer = {
  outcome: 'unreachable',
  reason: 'this installation is a copy in quarantine, and sends nothing',
  timedOut: false,
  neverSent: true,
  quarantined: true,
};

/** The given client; in quarantine it only reads. */
export function onlyReadsInQuarantine(
  { quarantine }: Pick<Installation, 'quarantine'>,
  platform: PlatformClient,
): PlatformClient {
  const isWithheld = (method: string) => quarantine() !== null && !isRead(method);
  return {
    ...platform,
    call: async (token, method, params, options) =>
      isWithheld(method) ? NOT_SENT : platform.call(token, method, params, options),
    upload: async (token, method, params, files, options) => {
      if (!isWithheld(method)) return platform.upload(token, method, params, files, options);
      for (const { stream } of files) stream.destroy();
      return NOT_SENT;
    },
  };
}
