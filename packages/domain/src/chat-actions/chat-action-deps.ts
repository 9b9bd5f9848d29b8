import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { BotDeps } from '../bots/bot-deps.ts';

/** What acting in a chat needs. */
export type ChatActionDeps = Pick<BotDeps, 'db' | 'redis' | 'platform' | 'clock' | 'log'> & {
  turns: { history: TurnQueue };
};
