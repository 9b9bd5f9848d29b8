import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { programTokenStore } from './program-token-store.ts';

const MINUTE_MS = 60_000;

/** Records when a token was last used, to the minute. Calls do not wait for it, so a failure is only logged. */
export function tokenUseRecorder(deps: { db: Database; clock: Clock; log: Logger }): (tokenId: number) => void {
  const { db, clock, log } = deps;
  const recordedAtMs = new Map<number, number>();
  return (tokenId) => {
    const nowMs = clock.nowMs();
    if (nowMs - (recordedAtMs.get(tokenId) ?? 0) < MINUTE_MS) return;
    recordedAtMs.set(tokenId, nowMs);
    programTokenStore(db)
      .recordUse(tokenId, new Date(nowMs))
      .catch((error: unknown) => log.warn({ err: error, tokenId }, "the use of a program's token was not recorded"));
  };
}
