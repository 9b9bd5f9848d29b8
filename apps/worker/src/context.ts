import { type SharedLimiter, sharedLimiter } from '@flotilla/domain/delivery/lanes/shared-limiter.ts';
import { type AuthorRights, authorRights } from '@flotilla/domain/delivery/outbox/author.ts';
import { type OutboxWrites, outboxWrites } from '@flotilla/domain/delivery/outbox/outbox-writes.ts';
import { type SendGates, sendGates } from '@flotilla/domain/delivery/outbox/send-gate.ts';
import { type ReplyRoom, replyRoom } from '@flotilla/domain/delivery/push/reply-room.ts';
import { pollingAtServers } from '@flotilla/domain/fleet/upstreams/at-servers.ts';
import type { Service } from '@flotilla/domain/startup/open-service.ts';
import { type ChannelWaiters, channelWaiters } from '@flotilla/redis/channel-waiters.ts';
import { channels } from '@flotilla/redis/keys.ts';
import type { PollingClient } from '@flotilla/telegram/polling-client.ts';
import type { WorkerConfig } from './config.ts';
import { type WorkerMetrics, workerMetrics } from './worker-metrics.ts';

/** Everything that a worker's turns and upkeep need. It is built once and passed as the first argument. */
export type WorkerContext = Service & {
  config: WorkerConfig;
  pollingClient: PollingClient;
  /** Wakes the turns that run in this process when their bot gets updates, or another configuration. */
  turnNews: ChannelWaiters;
  replyRoom: ReplyRoom;
  /** Limits requests to backends over all turns of this process. */
  requestLimiter: SharedLimiter;
  /** The writes of all turns of the outbox, and what keeps each bot's sends apart. */
  outboxWrites: OutboxWrites;
  sendGates: SendGates;
  /** True if those who handed sends over still may. */
  authors: AuthorRights;
  measure: WorkerMetrics;
};

/** Requests to backends of one worker; well below the number of its push turns, which hanging requests must not fill. */
export const REQUESTS_AT_ONCE = 1600;

/** Opens what a worker needs beside what it shares with an api. */
export function workerContext(config: WorkerConfig, service: Service): WorkerContext {
  const { redis, directory, metrics, onClose } = service;
  const polling = pollingAtServers(service, service.platformCalls.polling);
  onClose(polling.close);
  const turnNews = channelWaiters(redis, channels.turnNews);
  onClose(turnNews.close);
  directory.onChange((botId) => turnNews.wakeSoon(botId));
  const requestLimiter = sharedLimiter(REQUESTS_AT_ONCE);
  const writes = outboxWrites(service);
  onClose(async () => writes.close());
  return {
    ...service,
    config,
    pollingClient: polling,
    turnNews,
    replyRoom: replyRoom(),
    requestLimiter,
    outboxWrites: writes,
    sendGates: sendGates(),
    authors: authorRights(service),
    measure: workerMetrics(metrics, requestLimiter, service.acceptedUpdates.of('polling')),
  };
}
