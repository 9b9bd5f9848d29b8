import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { sendGate } from './send-gate.ts';

const PER_SECOND = 20;

/** Sends as fast as the gate allows, with answers that take so long (ms); when each began and was answered. */
async function sendAll(count: number, answerMs: (at: number) => number, messages = 1) {
  const gate = sendGate(() => PER_SECOND);
  const sent: { begunAtMs: number; answeredAtMs: number }[] = [];
  await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const answered = await gate.enter(messages);
      const begunAtMs = performance.now();
      await delay(answerMs(at));
      answered();
      sent[at] = { begunAtMs, answeredAtMs: performance.now() };
    }),
  );
  return sent;
}

test('a send begins a second after the one that it would be too many with', async () => {
  const sent = await sendAll(2 * PER_SECOND + 1, () => 1);
  for (let at = PER_SECOND; at < sent.length; at += 1) {
    expect(sent[at]!.begunAtMs - sent[at - PER_SECOND]!.begunAtMs).toBeGreaterThanOrEqual(1_000);
  }
});

test('an answer that takes longer than others may be to a request that arrived late, so the second begins with it', async () => {
  const sent = await sendAll(PER_SECOND + 1, (at) => (at === 0 ? 400 : 1));
  expect(sent[PER_SECOND]!.begunAtMs - sent[0]!.answeredAtMs).toBeGreaterThanOrEqual(1_000);
});

test('an album counts as many messages', async () => {
  const sent = await sendAll(3, () => 1, 10);
  expect(sent[2]!.begunAtMs - sent[0]!.begunAtMs).toBeGreaterThanOrEqual(1_000);
  expect(sent[1]!.begunAtMs).toBeLessThan(sent[2]!.begunAtMs);
});

test('into a silence of the platform goes a handful, and with the first answer the others follow', async () => {
  const gate = sendGate(() => PER_SECOND);
  const unanswered: (() => void)[] = [];
  let isAnswering = false;
  const sending = (async () => {
    for (let at = 0; at < 60; at += 1) {
      const answered = await gate.enter(1);
      if (isAnswering) answered();
      else unanswered.push(answered);
      await delay(50);
    }
  })();
  await delay(2_000);
  // Without silence, forty.
  expect(unanswered.length).toBeGreaterThanOrEqual(5);
  expect(unanswered.length).toBeLessThan(15);
  expect(gate.silentMs()).toBeGreaterThan(0);
  isAnswering = true;
  for (const answered of unanswered) answered();
  expect(gate.silentMs()).toBe(0);
  await sending;
}, 20_000);
