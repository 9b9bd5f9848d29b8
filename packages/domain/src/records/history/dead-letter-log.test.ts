import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { deadLetterLog } from './dead-letter-log.ts';

const letter = (botId: number, code = 'expired') => ({ botId, reader: 'push', code });

test('the first are told at once, all others of the time after them in one line, by reason and bot', async () => {
  const lines: object[] = [];
  const letters = deadLetterLog({ warn: (fields: object) => void lines.push(fields) } as never, 200);
  letters.add([letter(1), letter(2)]);
  expect(lines).toEqual([{ deadLetters: 2, reasons: { 'push expired': 2 }, bots: { 1: 1, 2: 1 } }]);
  for (let botId = 1; botId <= 25; botId += 1) letters.add([letter(botId, 'refused'), letter(3)]);
  expect(lines).toHaveLength(1);
  await waitFor(() => lines.length === 2);
  expect(lines[1]).toMatchObject({
    deadLetters: 50,
    reasons: { 'push refused': 25, 'push expired': 25 },
    bots: { 3: 26 },
    otherBots: 5,
  });
  letters.add([letter(4)]);
  letters.stop();
  expect(lines[2]).toMatchObject({ deadLetters: 1, bots: { 4: 1 } });
  letters.stop();
  expect(lines).toHaveLength(3);
});
