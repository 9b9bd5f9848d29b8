import { expect, test } from '@jest/globals';
import { MOST_RELEASED, nextRelease } from './release-entries.ts';

const START_MS = 1_780_000_000_000;

/** How many entries a broadcast releases in so many seconds, if it is looked at so often and all are sent at once. */
function releasedIn(seconds: number, everyMs: number, perSecond: number | null, messages = 1): number {
  let releasedTo: Date | null = null;
  let sum = 0;
  for (let atMs = START_MS; atMs < START_MS + seconds * 1_000; atMs += everyMs) {
    const next = nextRelease(
      { per_second: perSecond, messages, released_to: releasedTo },
      { released: 0, nowMs: atMs },
    );
    sum += next.entries;
    releasedTo = next.releasedTo(next.entries);
  }
  return sum;
}

test('without a pace of its own, a broadcast fills what has room in the queue of its bot', () => {
  const broadcast = { per_second: null, messages: 1, released_to: null };
  expect(nextRelease(broadcast, { released: 0, nowMs: START_MS }).entries).toBe(MOST_RELEASED);
  expect(nextRelease(broadcast, { released: MOST_RELEASED - 3, nowMs: START_MS }).entries).toBe(3);
  expect(nextRelease(broadcast, { released: MOST_RELEASED + 9, nowMs: START_MS }).entries).toBe(0);
});

test.each([
  [7, 500, 1],
  [7, 333, 1],
  [3, 500, 1],
  [1, 500, 1],
  [100, 500, 1],
  [5, 500, 10],
])(
  'at %d messages a second, looked at every %d ms, entries of %d messages keep that pace',
  (perSecond, everyMs, messages) => {
    const seconds = 60;
    const sent = releasedIn(seconds, everyMs, perSecond, messages) * messages;
    // The pace saved up at the beginning is used at once.
    const most = perSecond * seconds + Math.max(perSecond, messages) + messages;
    expect(sent).toBeLessThanOrEqual(most);
    expect(sent).toBeGreaterThanOrEqual(perSecond * seconds - messages);
  },
);

test('what was not sent for long is not made up for', () => {
  const releasedTo = new Date(START_MS);
  const later = { released: 0, nowMs: START_MS + 3_600_000 };
  expect(nextRelease({ per_second: 10, messages: 1, released_to: releasedTo }, later).entries).toBe(10);
});
