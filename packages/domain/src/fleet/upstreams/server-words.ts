import { DEFAULT_UPSTREAM } from '@flotilla/contract/upstreams.ts';
import type { Bot } from '../bots/bot.ts';

/** The server of a bot in a sentence. */
export function serverWords({ upstream }: Pick<Bot, 'upstream'>): string {
  return upstream === DEFAULT_UPSTREAM ? 'the platform' : `the upstream ${upstream}`;
}
