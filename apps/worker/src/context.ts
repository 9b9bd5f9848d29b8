import { honourFloods } from '@flotilla/domain/delivery/flood/honour-floods.ts';
import { type SharedLimiter, sharedLimiter } from '@flotilla/domain/delivery/lanes/shared-limiter.ts';
import { type AuthorRights, authorRights } from '@flotilla/domain/delivery/outbox/author.ts';
import { type OutboxWrites, outboxWrites } from '@flotilla/domain/delivery/outbox/outbox-writes.ts';
import { type SendGates, sendGates } from '@flotilla/domain/delivery/outbox/send-gate.ts';
import { type BackendConnections, backendConnections } from '@flotilla/domain/delivery/push/backend-connections.ts';
import { type ReplyRoom, replyRoom } from '@flotilla/domain/delivery/push/reply-room.ts';
import {
  type AnsweredCallbacks,
  answeredBefore,
  answeredCallbacks,
} from '@flotilla/domain/delivery/readers/answered-callbacks.ts';
import { type RefusalRecorder, refusalRecorder } from '@flotilla/domain/delivery/refusals/refusal-recorder.ts';
import { watchReach } from '@flotilla/domain/delivery/unreachable/watch-reach.ts';
import { onlyReadsInQuarantine } from '@flotilla/domain/fleet/installation/only-reads.ts';
import { type GroupFollower, groupFollower } from '@flotilla/domain/records/moved-groups/group-follower.ts';
import { type OwnerAnswers, ownerAnswers } from '@flotilla/domain/records/takeover/owner-answers.ts';
import { openService, type Service, type ServiceOptions } from '@flotilla/domain/startup/open-service.ts';
import { type ChannelWaiters, channelWaiters } from '@flotilla/redis/channel-waiters.ts';
import { channels } from '@flotilla/redis/keys.ts';
import { measurePlatform } from '@flotilla/telegram/measure-platform.ts';
import { type PlatformClient, platformClient } from '@flotilla/telegram/platform-client.ts';
import { type PollingClient, pollingClient } from '@flotilla/telegram/polling-client.ts';
import type { WorkerConfig } from './config.ts';
import { type WorkerMetrics, workerMetrics } from './worker-metrics.ts';

/** Everything that a worker's turns and upkeep need. It is built once and passed as the first argument. */
export type WorkerContext = Service & {
  config: WorkerConfig;
  platform: PlatformClient;
  groupFollower: GroupFollower;
  ownerAnswers: OwnerAnswers;
  pollingClient: PollingClient;
  /** Wakes the turns that run in this process when their bot gets updates, or another configuration. */
  turnNews: ChannelWaiters;
  backends: BackendConnections;
  replyRoom: ReplyRoom;
  /** Limits requests to backends over all turns of this process. */
  requestLimiter: SharedLimiter;
  /** Keeps which calls in the answers of programs' backends were refused. */
  programRefusals: RefusalRecorder;
  /** Which button presses of bots with several readers were answered. */
  answeredCallbacks: AnsweredCallbacks;
  /** The writes of all turns of the outbox, and what keeps each bot's sends apart. */
  outboxWrites: OutboxWrites;
  sendGates: SendGates;
  /** True if those who handed sends over still may. */
  authors: AuthorRights;
  measure: WorkerMetrics;
};

/** Requests to backends of one worker; well below the number of its push turns, which hanging requests must not fill. */
export const REQUESTS_AT_ONCE = 1600;

/** Opens what a worker needs. Rejects when Redis cannot be reached and `options` do not say to wait for it. */
export async function createWorkerContext(config: WorkerConfig, options: ServiceOptions = {}): Promise<WorkerContext> {
  const service = await openService({ name: 'worker', roles: config.roles }, config, options);
  const { redis, clock, log, directory, metrics, backendPolicy, onClose } = service;
  const measured = measurePlatform(metrics);
  const toPlatform = { apiUrl: config.platformUrl, proxy: config.platformProxy };
  const polling = measured.polling(pollingClient(toPlatform));
  onClose(polling.close);
  const backends = backendConnections(backendPolicy);
  onClose(backends.close);
  const turnNews = channelWaiters(redis, channels.turnNews);
  onClose(turnNews.close);
  directory.onChange((botId) => {
    if (directory.ready()) backends.changed(botId, directory.byId(botId));
    turnNews.wakeSoon(botId);
  });
  const programRefusals = refusalRecorder({ redis, clock, log });
  onClose(async () => programRefusals.close());
  const client = onlyReadsInQuarantine(
    service.installation,
    honourFloods(service, watchReach(service, measured.client(platformClient(toPlatform)))),
  );
  const groups = groupFollower({ ...service, platform: client });
  const requestLimiter = sharedLimiter(REQUESTS_AT_ONCE);
  const writes = outboxWrites(service);
  onClose(async () => writes.close());
  return {
    ...service,
    config,
    platform: groups.platform,
    groupFollower: groups,
    ownerAnswers: ownerAnswers(service),
    pollingClient: polling,
    turnNews,
    backends,
    replyRoom: replyRoom(),
    requestLimiter,
    programRefusals,
    answeredCallbacks: answeredCallbacks({ redis }, answeredBefore(metrics)),
    outboxWrites: writes,
    sendGates: sendGates(),
    authors: authorRights(service),
    measure: workerMetrics(metrics, requestLimiter),
  };
}
