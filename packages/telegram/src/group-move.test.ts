import { describe, expect, test } from '@jest/globals';
import { groupsAmong, readGroupMove } from './group-move.ts';

const [GROUP, SUPERGROUP] = [-4_100_200_399, -1_002_100_200_399];
const move = { fromChatId: GROUP, toChatId: SUPERGROUP };

describe('a move', () => {
  test('is told in the group and in the supergroup', () => {
    expect(readGroupMove({ chat: { id: GROUP }, migrate_to_chat_id: SUPERGROUP })).toEqual(move);
    expect(readGroupMove({ chat: { id: SUPERGROUP }, migrate_from_chat_id: GROUP })).toEqual(move);
  });

  test.each([
    [null],
    [{ chat: { id: GROUP }, text: 'hi' }],
    [{ migrate_to_chat_id: SUPERGROUP }],
    [{ chat: { id: 77 }, migrate_to_chat_id: SUPERGROUP }],
    [{ chat: { id: GROUP }, migrate_to_chat_id: GROUP }],
    [{ chat: { id: GROUP }, migrate_to_chat_id: -1e300 }],
    [{ chat: { id: SUPERGROUP }, migrate_from_chat_id: 'x' }],
  ])('is not told by %j', (message) => {
    expect(readGroupMove(message)).toBe(null);
  });
});

test('the groups that a call names are found in all its parameters, once each', () => {
  const reply = { message_id: 1, chat_id: -3 };
  expect(groupsAmong({ chat_id: '-1', from_chat_id: -2, reply_parameters: JSON.stringify(reply) })).toEqual([
    -1, -2, -3,
  ]);
  expect(groupsAmong({ chat_id: -1, from_chat_id: '-1', reply_parameters: reply })).toEqual([-1, -3]);
  expect(groupsAmong({ chat_id: SUPERGROUP, from_chat_id: '@name', reply_parameters: '{' })).toEqual([]);
  expect(groupsAmong({ chat_id: 77 })).toEqual([]);
});
