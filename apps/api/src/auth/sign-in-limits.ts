import type { SignInLimit } from '@flotilla/domain/accounts/record-sign-in-limit.ts';
import { usernameKey } from '@flotilla/domain/accounts/username-key.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { networkOf } from '../http/client-address.ts';
import { knownNetworks } from './known-networks.ts';

const FAILURES = 5;
const WINDOW_S = 15 * 60;

export interface SignInAttempt {
  /** The limits that it reaches if it fails. Of many attempts one reaches a limit, also where they come at once. */
  reaches: readonly SignInLimit[];
  succeeded(): Promise<void>;
}

export interface SignInLimits {
  /**
   * Counts an attempt before it is judged, so that many at once cannot pass together; `succeeded` takes it back.
   * Throws 'too_many_requests' after 5 failures of an address, or of an account, in 15 minutes. A network from which the
   * account has signed in before counts for itself, so that strangers who guess cannot lock its owner out there.
   */
  attempt(username: string, address: string): Promise<SignInAttempt>;
}

export function signInLimits(redis: RedisHandles, clock: Clock): SignInLimits {
  const limiter = (keyPrefix: string) =>
    new RateLimiterRedis({ storeClient: redis.commands, keyPrefix, points: FAILURES, duration: WINDOW_S });
  const ofAccount = limiter(authKeys.signInOfAccount);
  const ofAddress = limiter(authKeys.signInOfAddress);
  const ofKnownAddress = limiter(authKeys.signInOfKnownAddress);
  const known = knownNetworks(redis, clock);
  return {
    async attempt(username, address) {
      const network = networkOf(address);
      // Hashed: whatever somebody typed into the username field must not become a key's name.
      const account = sha256Hex(usernameKey(username));
      const leftOfAddress = await consume(ofAddress, network);
      const [limit, key] = (await known.has(account, network))
        ? [ofKnownAddress, `${account}:${network}`]
        : [ofAccount, account];
      const leftOfAccount = await consume(limit, key);
      return {
        reaches: [
          ...(leftOfAddress === 0 ? (['address'] as const) : []),
          ...(leftOfAccount === 0 ? (['account'] as const) : []),
        ],
        async succeeded() {
          await Promise.all([limit.reward(key, 1), ofAddress.reward(network, 1), known.remember(account, network)]);
        },
      };
    },
  };
}

/** How many failures are left. */
async function consume(limiter: RateLimiterRedis, key: string): Promise<number> {
  try {
    return (await limiter.consume(key)).remainingPoints;
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw new FlotillaError('too_many_requests', 'Too many failed sign-ins; try again later', {
      retryAfterS: Math.ceil(refusal.msBeforeNext / 1000),
    });
  }
}
