import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import { describe, expect, test } from '@jest/globals';
import { readOutcome } from './send-outcome.ts';

const entry = (attempts = 1) => ({
  id: 1,
  chat_id: 5,
  method: 'sendMessage',
  params: {},
  attempts,
  created_by: {},
  broadcast_id: null,
  released_by: null,
});
const refused = (errorCode: number, more: object = {}): PlatformAnswer => ({
  ...{ outcome: 'refused', errorCode, description: 'no' },
  ...more,
});
const ok = (result: unknown): PlatformAnswer => ({ outcome: 'ok', result, text: '' });

describe('the answer to an attempt', () => {
  test('with a message, a list or ids says what was sent', () => {
    expect(readOutcome(entry(), ok({ message_id: 7 }))).toMatchObject({ event: 'sent', message_id: 7 });
    expect(readOutcome(entry(), ok([{ message_id: 8 }, { message_id: 9 }]))).toMatchObject({ message_id: 8 });
    expect(readOutcome(entry(), ok(true))).toEqual({ event: 'sent', message_id: null, result: 'true' });
  });

  test('is not kept if it is large or Postgres cannot keep it', () => {
    for (const text of ['x'.repeat(70_000), 'a\u0000b', '\ud800']) {
      expect(readOutcome(entry(), ok({ message_id: 7, text }))).toEqual({ event: 'sent', message_id: 7, result: null });
    }
  });

  test.each([400, 403, 404])('%i fails it', (code) => {
    expect(readOutcome(entry(), refused(code))).toEqual({ event: 'fail', error_code: code, error: 'no' });
  });

  test('is tried again after pauses that grow, if the platform certainly did not send it', () => {
    const pauses = [1, 2, 3, 10].map((attempts) => readOutcome(entry(attempts), refused(500)));
    expect(pauses).toMatchObject([1_000, 2_000, 4_000, 60_000].map((afterMs) => ({ event: 'again', afterMs })));
    const page = { outcome: 'garbage', status: 502, reason: 'html' } as const;
    expect(readOutcome(entry(), page)).toMatchObject({ event: 'again', counts: true });
    expect(readOutcome(entry(25), page)).toMatchObject({ event: 'fail' });
  });

  test('429 is obeyed, a revoked token waits for another, and what was never made was none: nothing counts, however often', () => {
    const revoked = readOutcome(entry(99), refused(401));
    expect(revoked).toMatchObject({ event: 'again', afterMs: 60_000, counts: false });
    const flooded = readOutcome(entry(99), refused(429, { retryAfterS: 7 }));
    expect(flooded).toMatchObject({ event: 'again', afterMs: 7_000, counts: false });
    const never = { outcome: 'unreachable', reason: 'ECONNREFUSED', timedOut: false, neverSent: true } as const;
    expect(readOutcome(entry(99), never)).toMatchObject({ event: 'again', error: 'ECONNREFUSED', counts: false });
  });

  test('a moved chat is followed, unless it has that id already', () => {
    expect(readOutcome(entry(), refused(400, { migrateToChatId: -9 }))).toMatchObject({ event: 'again', chat_id: -9 });
    expect(readOutcome(entry(), refused(400, { migrateToChatId: 5 }))).toMatchObject({ event: 'fail' });
  });

  test('none, or none that can be read, leaves it in doubt', () => {
    expect(readOutcome(entry(), { outcome: 'unreachable', reason: 'reset', timedOut: false }).event).toBe('doubt');
    expect(readOutcome(entry(), { outcome: 'garbage', status: 200, reason: 'html' }).event).toBe('doubt');
  });
});
