import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import type { MetricFamily, QuickCounter } from '@flotilla/runtime/quick-metrics.ts';
import type { Tracing } from '@flotilla/runtime/tracing.ts';
import type { UpstreamServers } from '@flotilla/runtime/upstreams-setting.ts';
import type { Floods } from '../delivery/flood/floods.ts';
import type { IdReserve } from '../delivery/intake/id-reserve.ts';
import type { MessageTopics } from '../delivery/programs/message-topics.ts';
import type { Router } from '../delivery/router/router.ts';
import type { UnreachableBots } from '../delivery/unreachable/unreachable-bots.ts';
import type { BackendPolicy } from '../fleet/backend-policy/backend-policy.ts';
import type { OwnEndpoints } from '../fleet/backend-policy/own-endpoints.ts';
import type { BotDirectory } from '../fleet/bots/bot-directory.ts';
import type { Installation } from '../fleet/installation/follow-installation.ts';
import type { MemoryWatch } from '../fleet/memory/watch-memory.ts';
import type { UpstreamHealth } from '../fleet/upstreams/upstream-health.ts';
import type { Upstreams } from '../fleet/upstreams/upstreams.ts';
import type { CallBuffer } from '../records/history/stream/call-buffer.ts';
import type { OpenProcess } from './open-process.ts';

/** The parts that the api and the worker share, without those of `Outside`. */
export type SharedParts = OpenProcess & {
  metrics: Metrics;
  /** Null when tracing is off. */
  tracing: Tracing | null;
  /** Measures how full Redis is. */
  memory: MemoryWatch;
  /** Which stores are away and which processes have other settings, for the readiness probe. Never rejects. */
  readinessWarnings(): Promise<string[]>;
  /** The installation that the stores belong to, and if they are a copy of it. */
  installation: Installation;
  directory: BotDirectory;
  /** The addresses at which we and our stores listen. */
  endpoints: OwnEndpoints;
  backendPolicy: BackendPolicy;
  router: Router;
  /** The URL at which the platform reaches the api; null if it cannot. */
  publicUrl: string | null;
  /** Kinds of updates to ask the platform for beside those that are known or named. */
  extraKinds: readonly string[];
  turns: {
    polling: TurnQueue;
    push: TurnQueue;
    programs: TurnQueue;
    rules: TurnQueue;
    outbox: TurnQueue;
    history: TurnQueue;
  };
  idReserve: IdReserve;
  /** Captured calls that went through this process, on their way to the history. */
  calls: CallBuffer;
  /** Until when the platform takes no calls of a bot. */
  floods: Floods;
  unreachable: UnreachableBots;
  /** The Bot API servers of TELEGRAM_UPSTREAMS. */
  servers: UpstreamServers;
  upstreams: Upstreams;
  upstreamHealth: UpstreamHealth;
  /** The topics of messages that tokens with topics name. */
  messageTopics: MessageTopics;
  /** Counts updates that were accepted, by polling or webhook. */
  acceptedUpdates: MetricFamily<QuickCounter>;
};
