import { expect, test } from '@jest/globals';
import { joinTexts, joinUpdates, NO_UPDATES, type PulledUpdates, pollAnswer, textsOf } from './pulled-updates.ts';

const texts = [
  '{"update_id":1,\n"message":{"text":"п, ]}"}}',
  '{"update_id":2}',
  '{"update_id":3,"poll":{"question":",\\n"}}',
];

test('updates that were joined are cut where they were joined', () => {
  expect(textsOf(joinTexts(texts))).toEqual(texts);
  expect(textsOf(NO_UPDATES)).toEqual([]);
});

test('the updates of several reads are those of one that found them all', () => {
  const reads = [NO_UPDATES, joinTexts(texts.slice(0, 1)), NO_UPDATES, joinTexts(texts.slice(1)), NO_UPDATES];
  expect(joinUpdates(reads)).toEqual(joinTexts(texts));
  expect(joinUpdates([NO_UPDATES, NO_UPDATES])).toBe(NO_UPDATES);
});

const answerOf = (updates: PulledUpdates) => Buffer.concat(pollAnswer(updates)).toString();

test('an answer is the JSON of the updates, whether short or long', () => {
  const many = Array.from({ length: 1000 }, () => texts).flat();
  for (const some of [[], texts, many]) {
    expect(JSON.parse(answerOf(joinTexts(some)))).toEqual({ ok: true, result: some.map((text) => JSON.parse(text)) });
  }
});

test('a short answer is in memory of its own', () => {
  const read = joinTexts(texts);
  const pieces = pollAnswer(read);
  read.joined.fill(0);
  expect(Buffer.concat(pieces).toString()).toContain(texts[1]);
});
