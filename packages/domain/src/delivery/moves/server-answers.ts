import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import { serverWords } from '../../fleet/upstreams/server-words.ts';

/** What a server says of a bot that has left it (Client.cpp:16286 of the official server). */
const LOGGED_OUT = /\blogged out\b/i;
const [UNAUTHORIZED, NOT_FOUND] = [401, 404];

export function isLoggedOut(answer: PlatformAnswer): boolean {
  return answer.outcome === 'refused' && saysLoggedOut(answer.description);
}

export function saysLoggedOut(text: string): boolean {
  return LOGGED_OUT.test(text);
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
