import type { Database } from '@flotilla/database/connect.ts';
import type { ChannelWaiters } from '@flotilla/redis/channel-waiters.ts';
import type { TurnLease } from '@flotilla/redis/turn-worker.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Tracing } from '@flotilla/runtime/tracing.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { Floods } from '../flood/floods.ts';
import type { UnreachableBots } from '../unreachable/unreachable-bots.ts';
import type { AuthorRights } from './author.ts';
import type { Lanes } from './lanes.ts';
import type { OutboxWrites } from './outbox-writes.ts';
import type { SendDeps } from './send-entry.ts';
import type { SendGates } from './send-gate.ts';
import type { WakeUps } from './wake-ups.ts';

export type OutboxTurnDeps = SendDeps & {
  db: Database;
  directory: BotDirectory;
  clock: Clock;
  turnNews: ChannelWaiters;
  outboxWrites: OutboxWrites;
  sendGates: SendGates;
  floods: Pick<Floods, 'waitMs'>;
  unreachable: Pick<UnreachableBots, 'leftMs' | 'begin' | 'isKnown' | 'adopt'>;
  authors: AuthorRights;
  measure: MeasureOutbox;
  /** Null when tracing is off. */
  tracing: Tracing | null;
};

export type MeasureOutbox = {
  /** An attempt ended so. */
  attempted(outcome: 'sent' | 'failed' | 'again' | 'in_doubt' | 'held'): void;
};

/** The knowledge of a turn about the outbox of its bot. */
export type OutboxTurn = {
  bot_id: number;
  claim: number;
  lanes: Lanes;
  lease: TurnLease;
  wakes: WakeUps;
  inFlight: Set<Promise<void>>;
  /** Until when (as of performance.now()) nothing of the bot goes out. */
  restsUntilMs: number;
  /** Somebody said, since the last look, that there is something new. */
  isNews: boolean;
};
