import { aBot } from '@flotilla/testing/a-bot.ts';
import { expect, test } from '@jest/globals';
import { announcedUpdates } from './announced-updates.ts';
import { NO_UPDATES } from './pulled-updates.ts';

const BOT = aBot({ id: 5 });

const announcement = (before: number, ids: number[], registrationId = BOT.registrationId) =>
  Buffer.from(
    `5 ${registrationId} ${before} ${ids.at(-1)} ${1000 + before} ${ids.length}\n${ids.map(textOf).join(',\n')}`,
  );
const textOf = (id: number) => `{"update_id":${id},"message":{"text":"a b\\nп"}}`;
const announced = (offset: number, ...heard: Buffer[]) => {
  const found = announcedUpdates(BOT, offset, heard);
  return found === null ? null : { ...found, updates: { ...found.updates, joined: String(found.updates.joined) } };
};

test('appends that follow what a reader has are joined', () => {
  expect(announced(8, announcement(7, [8, 9]), announcement(9, [20]))).toEqual({
    updates: { count: 3, joined: [8, 9, 20].map(textOf).join(',\n') },
    offset: 21,
    appendedAtMs: 1007,
  });
});

test('those that it has are passed over', () => {
  const none = { updates: NO_UPDATES, offset: 8, appendedAtMs: 0 };
  expect(announcedUpdates(BOT, 8, [announcement(5, [6]), announcement(6, [7])])).toEqual(none);
  expect(announced(8, announcement(6, [7]), announcement(7, [8]))?.updates).toEqual({ count: 1, joined: textOf(8) });
  expect(announcedUpdates(BOT, 8, null)).toEqual(none);
});

test('it must read when some are missing, when it has only a part, and when they are of an earlier bot or unknown', () => {
  expect(announced(8, announcement(8, [9]))).toBe(null);
  expect(announced(8, announcement(7, [8]), announcement(9, [10]))).toBe(null);
  expect(announced(8, announcement(6, [7, 8]))).toBe(null);
  expect(announced(8, announcement(7, [8], 'another-registration'))).toBe(null);
  expect(announcedUpdates(BOT, 8, 'unknown')).toBe(null);
});
