import type { BotDeps } from '../bots/bot-deps.ts';
import type { CallBuffer } from '../update-log/call-buffer.ts';

/** What acting in a chat needs. */
export type ChatActionDeps = Pick<BotDeps, 'db' | 'redis' | 'platform' | 'clock' | 'log'> & {
  calls: Pick<CallBuffer, 'keep'>;
};
