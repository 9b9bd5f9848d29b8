import type { BotDeps } from '../bots/bot-deps.ts';
import type { CallBuffer } from '../history/stream/call-buffer.ts';

/** Dependencies of acting in a chat. */
export type ChatActionDeps = Pick<BotDeps, 'db' | 'redis' | 'platform' | 'clock' | 'log'> & {
  calls: Pick<CallBuffer, 'keep'>;
};
