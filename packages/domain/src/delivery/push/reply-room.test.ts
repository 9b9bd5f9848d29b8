import { expect, test } from '@jest/globals';
import { REPLY_BYTES, REPLY_WITH_FILES_BYTES, replyRoom } from './reply-room.ts';

const FORM = { 'content-type': 'multipart/form-data; boundary=x' };

test('only forms that are not compressed may be long', () => {
  const { readAtMost } = replyRoom().begin(1);
  expect(readAtMost(FORM)).toBe(REPLY_WITH_FILES_BYTES);
  expect(readAtMost({ 'content-type': 'application/json' })).toBe(REPLY_BYTES);
  expect(readAtMost({})).toBe(REPLY_BYTES);
  expect(readAtMost({ ...FORM, 'content-encoding': 'gzip' })).toBe(0);
});

test('forms share the memory; one bot gets a quarter of it, and gives it back', () => {
  const room = replyRoom(400);
  const [first, second] = [room.begin(1), room.begin(1)];
  for (const held of [first, second]) held.readAtMost(FORM);
  expect([first.mayHold(60), second.mayHold(40), second.mayHold(1)]).toEqual([true, true, false]);
  first.release();
  expect(second.mayHold(60)).toBe(true);
  for (let bot = 2; bot <= 4; bot += 1) {
    const held = room.begin(bot);
    held.readAtMost(FORM);
    expect(held.mayHold(100)).toBe(true);
  }
  const last = room.begin(5);
  last.readAtMost(FORM);
  expect(last.mayHold(1)).toBe(false);
});

test('other answers are not counted', () => {
  const room = replyRoom(400);
  const held = room.begin(1);
  held.readAtMost({ 'content-type': 'application/json' });
  expect(held.mayHold(1000)).toBe(true);
});
