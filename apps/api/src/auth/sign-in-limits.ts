import type { SignInLimit } from '@flotilla/domain/people/accounts/record-sign-in-limit.ts';
import { usernameKey } from '@flotilla/domain/people/accounts/username-key.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Request, Response } from 'express';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { networkOf } from '../http/client-address.ts';
import { type RateLimit, showRateLimits } from '../http/rate-limit-headers.ts';

const FAILURES = 5;
const WINDOW_S = 15 * 60;
/** Correct passwords cost as much of the processor as wrong ones. */
const PASSWORDS = 60;
const PASSWORDS_WINDOW_S = 60;
const DAY_MS = 24 * 3_600_000;
const REMEMBERED_MS = 90 * DAY_MS;
const MAX_NETWORKS = 20;

export interface SignInAttempt {
  /** The limits that the attempt reaches if it fails. Of many simultaneous attempts, exactly one reaches a limit. */
  reaches: readonly SignInLimit[];
  succeeded(): Promise<void>;
  /** It was no guess: for example, a database did not answer. */
  takeBack(): Promise<void>;
}

/** Where an attempt comes from, and its answer. */
export interface Attempting {
  request: Pick<Request, 'ip'>;
  response: Response;
}

export interface SignInLimits {
  /**
   * Counts an attempt before the password is checked, so simultaneous ones count, too; `succeeded` and `takeBack` undo that.
   * Throws 'too_many_requests' after 5 failures of an address, or of an account, in 15 minutes, and after 60 attempts of
   * either in a minute, whatever became of them. A network from which the account has signed in before has its own limit
   * of failures, so strangers who guess cannot lock the owner out there. The answer shows the limits of the address alone: those
   * of the account would tell what others do with it.
   */
  attempt(username: string, by: Attempting): Promise<SignInAttempt>;
  /** Counts a sign-in without a password, which may begin as often as an address may try passwords. */
  begin(by: Attempting): Promise<void>;
}

export function signInLimits(redis: RedisHandles, clock: Clock): SignInLimits {
  const limiter = (keyPrefix: string, points = FAILURES, duration = WINDOW_S) =>
    new RateLimiterRedis({ storeClient: redis.commands, keyPrefix, points, duration });
  const allOfAccount = limiter(authKeys.passwordsOfAccount, PASSWORDS, PASSWORDS_WINDOW_S);
  const allOfAddress = limiter(authKeys.passwordsOfAddress, PASSWORDS, PASSWORDS_WINDOW_S);
  const ofAccount = limiter(authKeys.signInOfAccount);
  const ofAddress = limiter(authKeys.signInOfAddress);
  const ofKnownAddress = limiter(authKeys.signInOfKnownAddress);
  const known = knownNetworks(redis, clock);
  return {
    async begin({ request, response }) {
      await consume(allOfAddress, networkOf(request.ip ?? ''), { sentence: TOO_MANY, shown: ['sign-ins', response] });
    },
    async attempt(username, { request, response }) {
      const network = networkOf(request.ip ?? '');
      const shownFailures = ['sign-in-failures', response] as const;
      // Hashed, because the typed username must not become part of a Redis key.
      const account = sha256Hex(usernameKey(username));
      const leftOfAddress = await consume(ofAddress, network, { shown: shownFailures });
      const [limit, key] = (await known.has(account, network))
        ? [ofKnownAddress, `${account}:${network}`]
        : [ofAccount, account];
      const leftOfAccount = await consume(limit, key);
      const takeBack = async () => {
        const [, left] = await Promise.all([limit.reward(key, 1), ofAddress.reward(network, 1)]);
        show(ofAddress, left, shownFailures);
      };
      // Counted last: failures beyond their limit hash no password, so they take nothing from the owner here.
      const all = [
        consume(allOfAddress, network, { sentence: TOO_MANY, shown: ['sign-ins', response] }),
        consume(allOfAccount, account, { sentence: TOO_MANY }),
      ];
      await Promise.all(all).catch(async (refusal: unknown) => {
        await takeBack();
        throw refusal;
      });
      return {
        reaches: [
          ...(leftOfAddress === 0 ? (['address'] as const) : []),
          ...(leftOfAccount === 0 ? (['account'] as const) : []),
        ],
        async succeeded() {
          await Promise.all([takeBack(), known.remember(account, network)]);
        },
        takeBack,
      };
    },
  };
}

const TOO_MANY_FAILED = 'Too many failed sign-ins; try again later';
const TOO_MANY = 'Too many sign-ins; try again later';

type ShownIn = readonly [name: RateLimit['name'], response: Response];

/** How many are left before the limit. */
async function consume(
  limiter: RateLimiterRedis,
  key: string,
  { sentence = TOO_MANY_FAILED, shown }: { sentence?: string; shown?: ShownIn } = {},
): Promise<number> {
  try {
    const left = await limiter.consume(key);
    if (shown !== undefined) show(limiter, left, shown);
    return left.remainingPoints;
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    if (shown !== undefined) show(limiter, refusal, shown);
    throw new FlotillaError('too_many_requests', sentence, {
      retryAfterS: Math.ceil(refusal.msBeforeNext / 1000),
    });
  }
}

function show({ points: quota, duration: seconds }: RateLimiterRedis, left: RateLimiterRes, [name, response]: ShownIn) {
  const window = { seconds, resetInS: left.msBeforeNext / 1000 };
  showRateLimits(response, [{ name, quota, remaining: left.remainingPoints, window }]);
}

/** The networks from which an account (the hash of its username) has signed in: the newest 20, each for 90 days. */
interface KnownNetworks {
  has(account: string, network: string): Promise<boolean>;
  remember(account: string, network: string): Promise<void>;
}

function knownNetworks({ commands }: Pick<RedisHandles, 'commands'>, clock: Clock): KnownNetworks {
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
