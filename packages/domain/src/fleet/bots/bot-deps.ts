import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import type { UpstreamServers } from '@flotilla/runtime/upstreams-setting.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { BackendPolicy } from '../backend-policy/backend-policy.ts';
import type { BotDirectory } from './bot-directory.ts';

/** Dependencies of changes to a bot. */
export type BotDeps = {
  db: Database;
  redis: RedisHandles;
  secrets: SecretBox;
  platform: PlatformClient;
  directory: BotDirectory;
  turns: { polling: TurnQueue; push: TurnQueue; programs: TurnQueue; rules: TurnQueue; outbox: TurnQueue };
  backendPolicy: BackendPolicy;
  /** The servers of TELEGRAM_UPSTREAMS. */
  servers: UpstreamServers;
  /** The URL at which the platform reaches us, without a trailing slash; null if it cannot. */
  publicUrl: string | null;
  /** Kinds of updates to ask the platform for beside those that are known or named. */
  extraKinds: readonly string[];
  clock: Clock;
  log: Logger;
};
