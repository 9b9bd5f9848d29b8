import type { AccountDeps } from './account-deps.ts';
import { apiKeyStore } from './api-key-store.ts';

const MINUTE_MS = 60_000;

/**
 * Records when a key was last used, to the minute. The request does not wait for it and does not depend on it, so a
 * failure is only logged.
 */
export function keyUseRecorder({ db, clock, log }: AccountDeps): (keyId: number) => void {
  const recordedAtMs = new Map<number, number>();
  return (keyId) => {
    const nowMs = clock.nowMs();
    if (nowMs - (recordedAtMs.get(keyId) ?? 0) < MINUTE_MS) return;
    recordedAtMs.set(keyId, nowMs);
    apiKeyStore(db)
      .recordUse(keyId, new Date(nowMs))
      .catch((error: unknown) => log.warn({ err: error, keyId }, 'the use of an API key was not recorded'));
  };
}
