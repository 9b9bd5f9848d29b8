import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import { serverWords } from '../../fleet/upstreams/server-words.ts';

/** What a server says of a bot that has left it (Client.cpp:16286 of the official server). */
const LOGGED_OUT = /\blogged out\b/i;

export function isLoggedOut(answer: PlatformAnswer): boolean {
  return answer.outcome === 'refused' && saysLoggedOut(answer.description);
}

export function saysLoggedOut(text: string): boolean {
  return LOGGED_OUT.test(text);
}

/** Why a call at this server did not succeed, for people. */
export function failureAt(upstream: string, answer: Exclude<PlatformAnswer, { outcome: 'ok' }>): string {
  const server = serverWords({ upstream });
  if (answer.outcome === 'refused') return `${server} refuses: ${answer.errorCode} ${answer.description}`;
  return `${server} does not answer: ${answer.reason}`;
}
