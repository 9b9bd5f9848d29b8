import { describe, expect, test } from '@jest/globals';
import { afterFailure, type RetryRecord } from './retry-schedule.ts';

const update = { expiresAtMs: 86_400_000 };
const failure = {
  code: 'refused' as const,
  status: 500,
  reason: 'Wrong response from the webhook: 500 Internal Server Error',
};

describe('the retry schedule', () => {
  test('sends a failing update at 0, 0, 2, 6, 14, 30 and 62 s, then every 60 to 120 s', () => {
    let nowMs = 0;
    let record: RetryRecord | null = null;
    const sentAtS = [0];
    for (let tries = 0; tries < 9; tries += 1) {
      record = afterFailure(record, failure, update, nowMs, () => 0.5);
      nowMs = record.nextTryAtMs;
      sentAtS.push(nowMs / 1000);
    }
    expect(sentAtS).toEqual([0, 0, 2, 6, 14, 30, 62, 126, 216, 306]);
    expect(record?.attempts).toBe(9);
  });

  test('takes the delay that the backend asks for, up to an hour, without advancing the doubling', () => {
    const first = afterFailure(null, { ...failure, retryAfterS: 7 }, update, 1000);
    expect(first).toMatchObject({ nextTryAtMs: 8000, doublings: 0, attempts: 1 });
    const second = afterFailure(first, { ...failure, retryAfterS: 99_999 }, update, 8000);
    expect(second.nextTryAtMs).toBe(8000 + 3_600_000);
    expect(afterFailure(second, failure, update, 0).nextTryAtMs).toBe(0);
  });

  test('takes a Retry-After of 0 for none', () => {
    const second = afterFailure(afterFailure(null, failure, update, 0), failure, update, 0);
    const named = afterFailure(second, { ...failure, retryAfterS: 0 }, update, 1000);
    expect(named).toEqual(afterFailure(second, failure, update, 1000));
    expect(named.nextTryAtMs).toBe(5000);
  });

  test('remembers when it failed first and how it failed last', () => {
    const first = afterFailure(null, failure, update, 1000);
    const second = afterFailure(
      first,
      { code: 'timed_out', status: null, reason: 'Read timeout expired' },
      update,
      5000,
    );
    expect(second).toMatchObject({
      firstFailedAtMs: 1000,
      lastFailedAtMs: 5000,
      reasonCode: 'timed_out',
      lastStatus: null,
      lastError: 'Read timeout expired',
      expiresAtMs: 86_400_000,
    });
  });
});
