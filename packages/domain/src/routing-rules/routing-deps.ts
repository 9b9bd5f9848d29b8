import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { ChangeRulesDeps } from '../bots/change-rules.ts';

/** What routing a message needs. */
export type RoutingDeps = ChangeRulesDeps & {
  platform: PlatformClient;
  turns: { rules: TurnQueue; history: TurnQueue };
  log: Logger;
};
