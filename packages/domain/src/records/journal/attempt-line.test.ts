import { expect, test } from '@jest/globals';
import { type Attempt, attemptLine, readAttemptLine } from './attempt-line.ts';

const BASE: Attempt = {
  ...{ atMs: 1_767_348_960_000, updateId: 813, chatId: -1001234567890, outcome: 'delivered' },
  ...{ status: 200, durationMs: 41, attempt: 1, revision: 7 },
};

test.each<[string, Attempt]>([
  ['a success', BASE],
  ['one without a chat', { ...BASE, chatId: null }],
  ['a failure', { ...BASE, outcome: 'failed', status: 0, error: 'Connection refused: 10 tries - none' }],
  ['a failure without words', { ...BASE, outcome: 'failed', status: 500, error: '' }],
  ['a refused call in the answer', { ...BASE, call_error: 'The call of sendDice …' }],
  ['a call in the answer', { ...BASE, call: { method: 'sendMessage', messageId: 502 } }],
  ['a call without a message', { ...BASE, call: { method: 'answerCallbackQuery', messageId: null } }],
  ['one of rules', { ...BASE, destination: 'the reply' }],
  ['an update that was dropped', { ...BASE, outcome: 'dropped', status: 0, durationMs: 0 }],
  ['a copy that was not sent', { ...BASE, outcome: 'dropped', status: 0, replay: 'rc1', error: 'taken over' }],
])('%s is read as it was written', (_what, attempt) => {
  expect(readAttemptLine(attemptLine(attempt))).toEqual(attempt);
});

test('an error of several lines takes one, and a long one is cut', () => {
  const line = attemptLine({ ...BASE, outcome: 'failed', error: `a\r\nb\0${'x'.repeat(2000)}` });
  expect(line).not.toMatch(/[\n\0]/);
  expect(readAttemptLine(line)?.error).toBe(`a b ${'x'.repeat(996)}`);
});

test('what another release has written is left out', () => {
  for (const line of ['', 'x', '1 2 3', `${attemptLine(BASE).slice(0, -1)}?`]) expect(readAttemptLine(line)).toBeNull();
});
