import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { channelWaiters } from '@flotilla/redis/channel-waiters.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, channels } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { MemoryWatch } from '../../fleet/memory/watch-memory.ts';
import { type KeptAnswer, readAnswer, storedAnswer } from './kept-answer.ts';

/** `scope` says whose key it is among the callers of a bot: the same word may be used by each of them. */
export type KeyOfCall = { botId: number; scope: string; key: string };

/** The first call with a key. One of these is to be called; the first counts. Each returns at once and never throws. */
export type Claim = {
  /** `params`: digest of the parameters, as `paramsDigest` makes it. Null for an answer that is too long to be kept. */
  ended(params: string, answer: KeptAnswer | null): void;
  /** The call may have been carried out. */
  lost(): void;
  /** The call was not carried out: the next one with the key runs. */
  free(): void;
};

export type ClaimedKey =
  | { outcome: 'claimed'; claim: Claim }
  | { outcome: 'ended'; params: string; answer: KeptAnswer | null }
  | { outcome: 'unknown' }
  /** The bot has too many keys. */
  | { outcome: 'full'; retryAfterS: number }
  /** Too many calls with keys run or wait in this process, or Redis has no room. */
  | { outcome: 'busy' }
  | { outcome: 'aborted' };

export type IdempotencyKeys = {
  /** Claims a key, or says how its first call ended, for which it waits while that runs. Rejects without Redis. */
  claim(of: KeyOfCall, signal: AbortSignal): Promise<ClaimedKey>;
  /** Resolves when no claim is open. */
  drain(): Promise<void>;
  close(): void;
};

const KEPT_MS = 86_400_000;
/** A process that was killed renews nothing, and waiting calls are told so after that time at most. */
const LEASE_MS = 12_000;
const RENEW_EVERY_MS = 4_000;
const KEYS_OF_BOT = 100_000;
/** Of the answers that are kept for a bot. */
const BYTES_OF_BOT = 16 * 1024 * 1024;
/** Each holds up to 64 KiB of its answer. */
const CLAIMS_AT_ONCE = 1000;
const WAITING_AT_ONCE = 1000;
const SETTLE_TRIES = 30;
const TRY_AGAIN_MS = 1000;
/** 128 bits in base64url. */
const DIGEST_LENGTH = 22;

type Deps = { redis: RedisHandles; memory: Pick<MemoryWatch, 'pressure' | 'wrote'>; log: Logger };

/** The digest of parameters that were fed to a SHA-256. */
export function paramsDigest(hash: ReturnType<typeof createHash>): string {
  return hash.digest('base64url').slice(0, DIGEST_LENGTH);
}

function digestOf({ scope, key }: KeyOfCall): string {
  return paramsDigest(createHash('sha256').update(`${scope}\n${key}`));
}

/** One claim of this process, from its begin until Redis knows how it ended. */
type OpenClaim = { botId: number; digest: string; name: string };
type Settled = { outcome: 'running' | 'ended' | 'unknown' | 'free'; params?: string; answer?: string };

export function idempotencyKeys({ redis, memory, log }: Deps): IdempotencyKeys {
  const waiters = channelWaiters(redis, channels.idempotencyKeys);
  const open = new Set<OpenClaim>();
  let waiting = 0;
  let closed = false;
  let drained: (() => void) | null = null;

  const settleOnce = ({ botId, digest, name }: OpenClaim, { outcome, params = '', answer = '' }: Settled) =>
    scripts.settleIdempotencyKey(redis.commands, botKeys(botId).idempotency, {
      ...{ botId, digest, claim: name, outcome, params, answer },
      ...{ leaseMs: LEASE_MS, keptMs: KEPT_MS, bytesAtMost: BYTES_OF_BOT },
    });
  /** If Redis never hears of it, the claim ends by itself as unknown. */
  const settle = async (claim: OpenClaim, settled: Settled): Promise<void> => {
    for (let tries = 1; tries <= SETTLE_TRIES && !closed; tries++) {
      try {
        await settleOnce(claim, settled);
        memory.wrote(settled.answer?.length ?? 0);
        break;
      } catch (error) {
        if (tries === 1) log.warn({ botId: claim.botId, err: error }, 'the end of a call with a key is not stored yet');
        await delay(TRY_AGAIN_MS, undefined, { ref: false });
      }
    }
    open.delete(claim);
    if (open.size === 0) drained?.();
  };
  const renewing = setInterval(() => {
    // One that is not renewed in time ends as unknown, until its call settles it.
    for (const claim of open) settleOnce(claim, { outcome: 'running' }).catch(() => undefined);
  }, RENEW_EVERY_MS);
  renewing.unref();

  const tryToClaim = async (of: KeyOfCall, digest: string) => {
    const claim = { botId: of.botId, digest, name: randomBytes(9).toString('base64url') };
    open.add(claim);
    try {
      const reply = await scripts.claimIdempotencyKey(redis.commands, botKeys(of.botId).idempotency, {
        ...{ digest, claim: claim.name, leaseMs: LEASE_MS, keptMs: KEPT_MS, keysAtMost: KEYS_OF_BOT },
      });
      if (reply.outcome !== 'CLAIMED') open.delete(claim);
      return { reply, claim };
    } catch (error) {
      // The claim may have been made.
      void settle(claim, { outcome: 'free' });
      throw error;
    }
  };
  const claimOf = (claim: OpenClaim): Claim => {
    let isSettled = false;
    const settleFirst = (settled: Settled) => {
      if (!isSettled) void settle(claim, settled);
      isSettled = true;
    };
    return {
      ended: (params, answer) =>
        settleFirst({ outcome: 'ended', params, answer: answer === null ? '' : storedAnswer(answer) }),
      lost: () => settleFirst({ outcome: 'unknown' }),
      free: () => settleFirst({ outcome: 'free' }),
    };
  };
  const found = ({ reply, claim }: Awaited<ReturnType<typeof tryToClaim>>): ClaimedKey | { waitMs: number } => {
    switch (reply.outcome) {
      case 'CLAIMED':
        return { outcome: 'claimed', claim: claimOf(claim) };
      case 'ENDED':
        return { outcome: 'ended', params: reply.params, answer: readAnswer(reply.answer) };
      case 'UNKNOWN':
        return { outcome: 'unknown' };
      case 'FULL':
        return { outcome: 'full', retryAfterS: Math.ceil(reply.retryAfterMs / 1000) };
      case 'RUNNING':
        return { waitMs: reply.leaseMs };
    }
  };
  const claimAfterWaiting = async (of: KeyOfCall, digest: string, signal: AbortSignal): Promise<ClaimedKey> => {
    if (waiting >= WAITING_AT_ONCE) return { outcome: 'busy' };
    waiting += 1;
    const waiter = waiters.listen(of.botId, digest);
    try {
      while (!signal.aborted && !closed) {
        const next = found(await tryToClaim(of, digest));
        if ('outcome' in next) return next;
        await waiter.wait(next.waitMs, signal);
      }
      return { outcome: 'aborted' };
    } finally {
      waiter.stop();
      waiting -= 1;
    }
  };

  return {
    async claim(of, signal) {
      if (memory.pressure() === 'scarce' || open.size >= CLAIMS_AT_ONCE) return { outcome: 'busy' };
      const digest = digestOf(of);
      const first = found(await tryToClaim(of, digest));
      return 'outcome' in first ? first : claimAfterWaiting(of, digest, signal);
    },
    drain: () =>
      new Promise((resolve) => {
        drained = resolve;
        if (open.size === 0) resolve();
      }),
    close() {
      closed = true;
      clearInterval(renewing);
      waiters.close();
    },
  };
}
