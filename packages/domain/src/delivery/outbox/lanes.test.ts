import { PRIORITIES } from '@flotilla/contract/outbox.ts';
import { expect, test } from '@jest/globals';
import { type Candidate, LOOK, lanesOfBot, MOST_LANES } from './lanes.ts';
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

test('In a chat, what is less urgent waits while what is more urgent is sent or waits for the pace', () => {
  const lanes = lanesOfBot();
  for (const priority of PRIORITIES) {
    lanes.add(priority, lanes.wants(priority)!, priority === 'critical' ? [] : [entry(1, 0), entry(2, 0)], true);
  }
  const offered = () => lanes.candidates(9).map(({ lane }) => `${lane.priority} ${lane.chat_id}`);
  expect(offered()).toEqual(['normal 1', 'normal 2']);
  const [{ lane: first }, { lane: second }] = lanes.candidates(2) as [Candidate, Candidate];
  first.busy = true;
  const paced = performance.now() + 60_000;
  Object.assign(second, { restsUntilMs: paced, awaitsPace: true });
  expect(offered()).toEqual([]);
  // Nothing is looked at before one of both goes on.
  expect(lanes.nextMs()).toBe(paced);
  // One that rests after a failed attempt lets the others pass.
  second.awaitsPace = false;
  expect(offered()).toEqual(['bulk 2']);
  first.busy = false;
  lanes.drop(first);
  expect(offered()).toEqual(['bulk 1', 'bulk 2']);
});
