import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { BotDeps } from '../../fleet/bots/bot-deps.ts';
import type { CallBuffer } from '../../records/history/stream/call-buffer.ts';
import type { Floods } from '../flood/floods.ts';
import type { Router } from '../router/router.ts';
import type { UnreachableBots } from '../unreachable/unreachable-bots.ts';

/** The dependencies of routing a message. */
export type RoutingDeps = BotDeps & {
  turns: { history: TurnQueue };
  calls: Pick<CallBuffer, 'keep'>;
  floods: Pick<Floods, 'waitMs'>;
  unreachable: Pick<UnreachableBots, 'leftMs' | 'begin'>;
  router: Router;
};
