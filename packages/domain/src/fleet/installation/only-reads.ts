import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { Installation } from './follow-installation.ts';

/** True for methods that change nothing at the platform. getUpdates confirms updates, so it is none. */
export function isRead(method: string): boolean {
  const name = method.toLowerCase();
  return name.startsWith('get') && name !== 'getupdates';
}

/** It is tried again later, if this installation takes over or is known. */
const NOT_SENT: PlatformAnswer = {
  outcome: 'unreachable',
  reason: 'this installation is a copy in quarantine, and sends nothing',
  timedOut: false,
  neverSent: true,
  quarantined: true,
};
const NOT_YET: PlatformAnswer = { ...NOT_SENT, reason: 'the installation is not known yet' };

/** The given client; in quarantine it only reads. */
export function onlyReadsInQuarantine(
  { quarantine }: Pick<Installation, 'quarantine'>,
  platform: PlatformClient,
): PlatformClient {
  const isWithheld = (method: string) => quarantine() !== null && !isRead(method);
  const notSent = () => (quarantine()?.reason === 'unknown' ? NOT_YET : NOT_SENT);
  return {
    ...platform,
    call: async (token, method, params, options) =>
      isWithheld(method) ? notSent() : platform.call(token, method, params, options),
    upload: async (token, method, params, files, options) => {
      if (!isWithheld(method)) return platform.upload(token, method, params, files, options);
      for (const { stream } of files) stream.destroy();
      return notSent();
    },
  };
}
