import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import { saysLoggedOut } from '../../fleet/upstreams/logged-out.ts';
import { serverWords } from '../../fleet/upstreams/server-words.ts';

const [UNAUTHORIZED, NOT_FOUND] = [401, 404];

export function isLoggedOut(answer: PlatformAnswer): boolean {
  return answer.outcome === 'refused' && saysLoggedOut(answer.description);
}

export function isTokenRefused(answer: PlatformAnswer): answer is Extract<PlatformAnswer, { outcome: 'refused' }> {
  return answer.outcome === 'refused' && answer.errorCode === UNAUTHORIZED;
}

/** After a logOut that did not succeed: false if the server surely does not have the bot, or was never reached. */
export function mayBeLoggedIn(answer: Exclude<PlatformAnswer, { outcome: 'ok' }>): boolean {
  switch (answer.outcome) {
    case 'refused':
      return !isLoggedOut(answer) && answer.errorCode !== UNAUTHORIZED && answer.errorCode !== NOT_FOUND;
    case 'unreachable':
      return answer.neverSent !== true || answer.quarantined === true;
    case 'garbage':
      // What is no Bot API server turned it away.
      return answer.status < 300 || answer.status >= 500;
  }
}

/** Why a call at this server did not succeed, for people. */
export function failureAt(upstream: string, answer: Exclude<PlatformAnswer, { outcome: 'ok' }>): string {
  const server = serverWords({ upstream });
  if (answer.outcome === 'refused') return `${server} refuses: ${answer.errorCode} ${answer.description}`;
  return `${server} does not answer: ${answer.reason}`;
}
