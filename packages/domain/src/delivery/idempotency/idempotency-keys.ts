import { createHash, type Hash } from 'node:crypto';
import { channelWaiters } from '@flotilla/redis/channel-waiters.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import { type CallerOfBot, callCounts } from '@flotilla/runtime/call-counts.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { MemoryWatch } from '../../fleet/memory/watch-memory.ts';
import { type KeptAnswer, readAnswer } from './kept-answer.ts';
import { type Claim, type OpenClaims, openClaims } from './open-claims.ts';

/** `author` says whose key it is: the same word may be used by each. `scope` has the share of the room, perhaps for several authors. */
export type KeyOfCall = CallerOfBot & { author: string; key: string };

export type ClaimedKey =
  | { outcome: 'claimed'; claim: Claim }
  | { outcome: 'ended'; params: string; answer: KeptAnswer | null }
  | { outcome: 'unknown' }
  /** The bot, or the caller among those of the bot, has too many keys. */
  | { outcome: 'full'; retryAfterS: number }
  /** Too many calls with keys run or wait in this process, or Redis has no room. */
  | { outcome: 'busy' }
  | { outcome: 'aborted' };

export type IdempotencyKeys = Pick<OpenClaims, 'drain' | 'close'> & {
  /** Claims a key, or says how its first call ended, for which it waits while that runs. Rejects without Redis. */
  claim(of: KeyOfCall, signal: AbortSignal): Promise<ClaimedKey>;
};

/** In one process; each holds a connection of its client. */
const WAITING_AT_ONCE = { inAll: 1000, ofBot: 300 };
/** 128 bits in base64url. */
const DIGEST_LENGTH = 22;
/** By which Redis counts what a scope has. */
const SCOPE_LENGTH = 4;

type Deps = { redis: RedisHandles; memory: Pick<MemoryWatch, 'pressure' | 'wrote'>; log: Logger };

/** The digest of parameters that were fed to a SHA-256. */
export function paramsDigest(hash: Hash): string {
  return hash.digest('base64url').slice(0, DIGEST_LENGTH);
}

function digestOf({ scope, author, key }: KeyOfCall): string {
  const ofScope = createHash('sha256').update(scope).digest('base64url').slice(0, SCOPE_LENGTH);
  return ofScope + paramsDigest(createHash('sha256').update(`${author}\n${key}`));
}

/** The outcomes of calls with an Idempotency-Key, over all processes. */
export function idempotencyKeys(deps: Deps): IdempotencyKeys {
  const waiters = channelWaiters(deps.redis, channels.idempotencyKeys);
  const claims = openClaims(deps);
  const waiting = callCounts(WAITING_AT_ONCE);
  let closed = false;

  const claimAfterWaiting = async (of: KeyOfCall, digest: string, signal: AbortSignal): Promise<ClaimedKey> => {
    if (!waiting.hasRoom(of)) return { outcome: 'busy' };
    waiting.add(of, 1);
    const waiter = waiters.listen(of.botId, digest);
    try {
      while (!signal.aborted && !closed) {
        const next = found(await claims.tryToClaim(of, digest));
        if ('outcome' in next) return next;
        await waiter.wait(next.waitMs, signal);
      }
      return { outcome: 'aborted' };
    } finally {
      waiter.stop();
      waiting.add(of, -1);
    }
  };

  return {
    async claim(of, signal) {
      if (deps.memory.pressure() === 'scarce' || !claims.hasRoom(of)) return { outcome: 'busy' };
      const digest = digestOf(of);
      const first = found(await claims.tryToClaim(of, digest));
      return 'outcome' in first ? first : claimAfterWaiting(of, digest, signal);
    },
    drain: claims.drain,
    close() {
      closed = true;
      claims.close();
      waiters.close();
    },
  };
}

function found(reply: Awaited<ReturnType<OpenClaims['tryToClaim']>>): ClaimedKey | { waitMs: number } {
  switch (reply.outcome) {
    case 'CLAIMED':
      return { outcome: 'claimed', claim: reply.claim };
    case 'ENDED':
      return { outcome: 'ended', params: reply.params, answer: readAnswer(reply.answer) };
    case 'UNKNOWN':
      return { outcome: 'unknown' };
    case 'FULL':
      return { outcome: 'full', retryAfterS: Math.ceil(reply.retryAfterMs / 1000) };
    case 'RUNNING':
      return { waitMs: reply.leaseMs };
  }
}
