import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';

const DAY_MS = 24 * 3_600_000;
const REMEMBERED_MS = 90 * DAY_MS;
const MAX_NETWORKS = 20;

/** From where an account, by the hash of its username, has signed in: the newest 20 networks, each for 90 days. */
export interface KnownNetworks {
  has(account: string, network: string): Promise<boolean>;
  remember(account: string, network: string): Promise<void>;
}

export function knownNetworks({ commands }: Pick<RedisHandles, 'commands'>, clock: Clock): KnownNetworks {
  return {
    async has(account, network) {
      const lastMs = await commands.zscore(authKeys.signedInFrom(account), network);
      return lastMs !== null && Number(lastMs) > clock.nowMs() - REMEMBERED_MS;
    },
    async remember(account, network) {
      const key = authKeys.signedInFrom(account);
      await commands.zadd(key, clock.nowMs(), network);
      await commands.zremrangebyrank(key, 0, -MAX_NETWORKS - 1);
      await commands.pexpire(key, REMEMBERED_MS);
    },
  };
}
