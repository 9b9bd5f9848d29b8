import { readFileSync } from 'node:fs';
import { BOT_API_VERSION, UPDATE_KINDS } from '@flotilla/contract/bot-api/update-kinds.ts';
import { documentedFields, documentedVersion } from '@flotilla/testing/documented-methods.ts';
import { describe, expect, test } from '@jest/globals';
import { isDefaultKind, kindsToAskFor, parseAllowedUpdates, unknownKinds } from './update-kinds.ts';

describe('parseAllowedUpdates', () => {
  test.each([[undefined], [''], ['message'], ['{"a":1}'], ['["message",1]'], [null], ['null'], [5]])(
    '%p changes nothing',
    (value) => {
      expect(parseAllowedUpdates(value)).toEqual({ kind: 'unchanged' });
    },
  );

  test.each([['[]'], ['["no,pe"]'], [[]]])('%p asks for the default set', (value) => {
    expect(parseAllowedUpdates(value)).toEqual({ kind: 'default' });
  });

  test('names are taken in any case, and unknown ones are kept', () => {
    const parsed = parseAllowedUpdates('["Hologram","CHAT_MEMBER","Message","hologram","a,b",""]');
    expect(parsed).toEqual({ kind: 'only', kinds: ['message', 'chat_member', 'hologram'] });
    expect(parseAllowedUpdates('["hologram"]')).toEqual({ kind: 'only', kinds: ['hologram'] });
  });

  test('keeps no more unknown names than a bot may have', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `kind_${index}`);
    expect(unknownKinds(names)).toEqual(names.slice(0, 50));
    expect(parseAllowedUpdates([...names, 'message'])).toEqual({
      kind: 'only',
      kinds: ['message', ...names.slice(0, 50)],
    });
  });
});

test('the default set lacks only what must be asked for by name', () => {
  expect(UPDATE_KINDS.filter((kind) => !isDefaultKind(kind))).toEqual([
    'chat_member',
    'message_reaction',
    'message_reaction_count',
  ]);
});

test('a kind that is too new to be known is in the default set', () => {
  expect(['chat_member', 'poll', 'hologram'].map(isDefaultKind)).toEqual([false, true, true]);
});

test('the platform is asked for every kind that is known here, and for others that were named', () => {
  expect(kindsToAskFor()).toEqual(UPDATE_KINDS);
  expect(kindsToAskFor(['poll', 'hologram'], ['mirage', 'hologram'])).toEqual([...UPDATE_KINDS, 'hologram', 'mirage']);
});

test('every kind of the newest client types is known, and README, Receiving and System name their version', () => {
  const documented = documentedFields('Update').filter((field) => field !== 'update_id');
  expect(documented.filter((kind) => !(UPDATE_KINDS as string[]).includes(kind))).toEqual([]);
  expect(Number(BOT_API_VERSION)).toBeGreaterThanOrEqual(Number(documentedVersion()));
  for (const path of ['README.md', 'docs/RECEIVING.md']) {
    expect(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')).toContain(`Bot API ${BOT_API_VERSION}`);
  }
});
