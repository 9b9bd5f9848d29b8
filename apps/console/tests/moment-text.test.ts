import { expect, test } from '@jest/globals';
import { momentText, readMomentText } from '../src/parts/moment-text.ts';

const NOW = new Date(2026, 10, 27, 19, 30);

test.each([
  ['2026-11-03 14:05', new Date(2026, 10, 3, 14, 5)],
  ['2026-11-03T14:05', new Date(2026, 10, 3, 14, 5)],
  [' 2026-11-03 ', new Date(2026, 10, 3)],
  ['3.11.2025 9:00', new Date(2025, 10, 3, 9)],
  ['03.11.', new Date(2026, 10, 3)],
  ['9:00', new Date(2026, 10, 27, 9)],
])('a moment can be typed as %s', (text, moment) => {
  expect(readMomentText(text, NOW)).toEqual(moment);
});

test.each(['', 'soon', '2026-02-30', '2026-13-01', '2026-11-03 24:00', '2026-11-03 9:61', '12', '03/11/2026'])(
  'what is no moment is not guessed at: %s',
  (text) => {
    expect(readMomentText(text, NOW)).toBeNull();
  },
);

test('a moment that is shown is read as the same', () => {
  expect(momentText(NOW)).toBe('2026-11-27 19:30');
  expect(readMomentText(momentText(NOW), new Date())).toEqual(NOW);
});
