import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Response } from 'express';
import { showRateLimits } from './rate-limit-headers.ts';

/** Limits the files that a process streams to the platform at once. */
export interface UploadLimit {
  /** Throws 'too_many_requests'; otherwise the caller must call the function that it returns, once. */
  begin(accountId: number, response: Response): () => void;
}

/** An album has at most ten files, and browsers open six connections. */
const PER_ACCOUNT = 8;
/** Each takes a few hundred KB of buffers. */
const IN_ALL = 64;
const RETRY_AFTER_S = 2;

export function uploadLimit(): UploadLimit {
  const byAccount = new Map<number, number>();
  let all = 0;
  return {
    begin(accountId, response) {
      const own = byAccount.get(accountId) ?? 0;
      showRateLimits(response, [
        { name: 'uploads', quota: PER_ACCOUNT, remaining: PER_ACCOUNT - own - 1, window: null },
      ]);
      if (own >= PER_ACCOUNT || all >= IN_ALL) {
        throw new FlotillaError('too_many_requests', 'Too many files are being sent at the moment; try again shortly', {
          retryAfterS: RETRY_AFTER_S,
        });
      }
      all += 1;
      byAccount.set(accountId, own + 1);
      return () => {
        all -= 1;
        const left = (byAccount.get(accountId) ?? 1) - 1;
        if (left === 0) byAccount.delete(accountId);
        else byAccount.set(accountId, left);
      };
    },
  };
}
