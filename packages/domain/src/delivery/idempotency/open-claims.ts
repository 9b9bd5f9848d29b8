import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { type ClaimIdempotencyKeyReply, scripts } from '@flotilla/redis/script-calls.ts';
import { type CallerOfBot, callCounts } from '@flotilla/runtime/call-counts.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { MemoryWatch } from '../../fleet/memory/watch-memory.ts';
import { type KeptAnswer, storedAnswer } from './kept-answer.ts';

/** The first call with a key. One of these is to be called; the first counts. Each returns at once and never throws. */
export type Claim = {
  /** `params`: digest of the parameters, as `paramsDigest` makes it. Null for an answer that is too long to be kept. */
  ended(params: string, answer: KeptAnswer | null): void;
  /** The call may have been carried out. */
  lost(): void;
  /** The call was not carried out: the next one with the key runs. */
  free(): void;
};

export type OpenClaims = {
  hasRoom(of: CallerOfBot): boolean;
  /** Rejects without Redis. */
  tryToClaim(
    of: CallerOfBot,
    digest: string,
  ): Promise<{ outcome: 'CLAIMED'; claim: Claim } | Exclude<ClaimIdempotencyKeyReply, { outcome: 'CLAIMED' }>>;
  /** Resolves when no claim is open. */
  drain(): Promise<void>;
  close(): void;
};

type Deps = { redis: RedisHandles; memory: Pick<MemoryWatch, 'wrote'>; log: Logger };
type OpenClaim = { of: CallerOfBot; digest: string; name: string };
type Settled = { outcome: 'running' | 'ended' | 'unknown' | 'free'; params?: string; answer?: string };

const KEPT_MS = 86_400_000;
/** A process that was killed renews nothing, and waiting calls are told so after that time at most. */
const LEASE_MS = 12_000;
const RENEW_EVERY_MS = 4_000;
const KEYS_OF_BOT = 100_000;
/** A caller may have three quarters of them, the next one three quarters of the rest. */
const SHARE_OF_SCOPE = 3;
/** Of the answers that are kept for a bot. Beyond it, the caller with most loses the oldest. */
const BYTES_OF_BOT = 16 * 1024 * 1024;
/** In one process; each claim holds up to 64 KiB of its answer. */
const AT_ONCE = { inAll: 1000, ofBot: 300 };
const SETTLE_TRIES = 30;
const TRY_AGAIN_MS = 1000;
const NAME_BYTES = 9;

/** The claims of this process, each from its begin until Redis knows how its call ended. They are renewed meanwhile. */
export function openClaims({ redis, memory, log }: Deps): OpenClaims {
  const open = new Set<OpenClaim>();
  const counts = callCounts(AT_ONCE);
  let closed = false;
  let drained: (() => void) | null = null;

  const begin = (claim: OpenClaim) => {
    open.add(claim);
    counts.add(claim.of, 1);
  };
  const end = (claim: OpenClaim) => {
    open.delete(claim);
    counts.add(claim.of, -1);
    if (open.size === 0) drained?.();
  };
  const say = ({ of: { botId }, digest, name }: OpenClaim, { outcome, params = '', answer = '' }: Settled) =>
    scripts.settleIdempotencyKey(redis.commands, botKeys(botId).idempotency, {
      ...{ answersPrefix: botKeys(botId).idempotencyAnswers, botId, digest, claim: name, outcome, params, answer },
      ...{ leaseMs: LEASE_MS, keptMs: KEPT_MS, bytesAtMost: BYTES_OF_BOT },
    });
  /** If Redis never hears of it, the claim ends by itself as unknown. */
  const settle = async (claim: OpenClaim, settled: Settled): Promise<void> => {
    for (let tries = 1; tries <= SETTLE_TRIES && !closed; tries++) {
      try {
        await say(claim, settled);
        memory.wrote(settled.answer?.length ?? 0);
        break;
      } catch (error) {
        if (tries === 1)
          log.warn({ botId: claim.of.botId, err: error }, 'the end of a call with a key is not stored yet');
        await delay(TRY_AGAIN_MS, undefined, { ref: false });
      }
    }
    end(claim);
  };
  const renewing = setInterval(() => {
    // One that is not renewed in time is unknown to others, until its call settles it.
    for (const claim of open) say(claim, { outcome: 'running' }).catch(() => undefined);
  }, RENEW_EVERY_MS);
  renewing.unref();

  return {
    hasRoom: counts.hasRoom,
    async tryToClaim(of, digest) {
      const claim = { of, digest, name: randomBytes(NAME_BYTES).toString('base64url') };
      begin(claim);
      try {
        const reply = await scripts.claimIdempotencyKey(redis.commands, botKeys(of.botId).idempotency, {
          answersPrefix: botKeys(of.botId).idempotencyAnswers,
          ...{ digest, claim: claim.name, leaseMs: LEASE_MS, keptMs: KEPT_MS },
          ...{ keysAtMost: KEYS_OF_BOT, share: SHARE_OF_SCOPE },
        });
        if (reply.outcome === 'CLAIMED')
          return { outcome: 'CLAIMED', claim: claimBy((how) => void settle(claim, how)) };
        end(claim);
        return reply;
      } catch (error) {
        // The claim may have been made.
        void settle(claim, { outcome: 'free' });
        throw error;
      }
    },
    drain: () =>
      new Promise((resolve) => {
        drained = resolve;
        if (open.size === 0) resolve();
      }),
    close() {
      closed = true;
      clearInterval(renewing);
    },
  };
}

function claimBy(settle: (how: Settled) => void): Claim {
  let isSettled = false;
  const settleFirst = (how: Settled) => {
    if (!isSettled) settle(how);
    isSettled = true;
  };
  return {
    ended: (params, answer) =>
      settleFirst({ outcome: 'ended', params, answer: answer === null ? '' : storedAnswer(answer) }),
    lost: () => settleFirst({ outcome: 'unknown' }),
    free: () => settleFirst({ outcome: 'free' }),
  };
}
