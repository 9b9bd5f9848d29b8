import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { ChangeRulesDeps } from '../../fleet/bots/change-rules.ts';
import type { CallBuffer } from '../../records/history/stream/call-buffer.ts';
import type { Floods } from '../flood/floods.ts';
import type { Router } from '../router/router.ts';
import type { UnreachableBots } from '../unreachable/unreachable-bots.ts';

/** The dependencies of routing a message. */
export type RoutingDeps = ChangeRulesDeps & {
  platform: PlatformClient;
  turns: { rules: TurnQueue; history: TurnQueue };
  calls: Pick<CallBuffer, 'keep'>;
  floods: Pick<Floods, 'waitMs'>;
  unreachable: Pick<UnreachableBots, 'leftMs' | 'begin'>;
  router: Router;
  log: Logger;
};
