import { expect, test } from '@jest/globals';
import { LOOK, lanesOfBot, MOST_LANES } from './lanes.ts';
import type { WaitingEntry } from './turn-store.ts';

const entry = (chatId: number, restsMs: number): WaitingEntry => {
  return { id: chatId, method: 'sendMessage', chat_id: chatId, messages: 1, restsMs };
};

test('Of many chats that rest, a bounded number is known, until they go on', () => {
  const lanes = lanesOfBot();
  const lookOn = (restsMs: number) => {
    let looks = 0;
    for (let look = lanes.wants('normal'); look !== null && looks < 100; look = lanes.wants('normal')) {
      const from = Math.max(look.aboveChat, 0);
      const found = Array.from({ length: LOOK.chats }, (_, at) => entry(from + at + 1, restsMs));
      lanes.add('normal', look, found, false);
      looks += 1;
    }
    return looks;
  };
  for (const priority of ['critical', 'bulk'] as const) {
    const look = lanes.wants(priority);
    if (look !== null) lanes.add(priority, look, [], true);
  }
  expect(lookOn(60_000)).toBe(MOST_LANES / LOOK.chats);
  expect(lanes.isEnough()).toBe(true);
  expect(lanes.isEmpty()).toBe(false);
  expect(lanes.candidates(5)).toEqual([]);
  expect(lanes.nextMs()).toBeGreaterThan(performance.now() + 30_000);
  // Another priority is looked for all the same.
  lanes.lookAgain();
  expect(lanes.wants('critical')).not.toBeNull();
});
