import { describe, expect, test } from '@jest/globals';
import { DEFAULT_KINDS, isDefaultKind, parseAllowedUpdates, UPDATE_KINDS } from './update-kinds.ts';

describe('parseAllowedUpdates', () => {
  test.each([[undefined], [''], ['message'], ['{"a":1}'], ['["message",1]'], [null], ['null'], [5]])(
    '%p changes nothing',
    (value) => {
      expect(parseAllowedUpdates(value)).toEqual({ kind: 'unchanged' });
    },
  );

  test.each([['[]'], ['["nope"]'], [[]]])('%p asks for the default set', (value) => {
    expect(parseAllowedUpdates(value)).toEqual({ kind: 'default' });
  });

  test('names are taken in any case, unknown ones are ignored', () => {
    const parsed = parseAllowedUpdates('["Message","custom_event","CHAT_MEMBER"]');
    expect(parsed).toEqual({ kind: 'only', kinds: ['message', 'chat_member'] });
  });
});

test('the default set lacks only what must be asked for by name', () => {
  expect(UPDATE_KINDS).toHaveLength(25);
  expect(UPDATE_KINDS.filter((kind) => !DEFAULT_KINDS.includes(kind))).toEqual([
    'chat_member',
    'message_reaction',
    'message_reaction_count',
  ]);
});

test('a kind that is too new to be known is in the default set', () => {
  expect(['chat_member', 'poll', 'hologram'].map(isDefaultKind)).toEqual([false, true, true]);
});
