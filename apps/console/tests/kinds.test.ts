import { expect, test } from '@jest/globals';
import { UPDATE_KINDS } from '../../../packages/contract/src/bot-api/update-kinds.ts';
import { botSettings as english } from '../src/words/en/bot-settings.ts';
import { botSettings as russian } from '../src/words/ru/bot-settings.ts';

test('every kind of update has a name, in the order of the platform', () => {
  for (const { kindNames } of [english, russian]) expect(Object.keys(kindNames)).toEqual(UPDATE_KINDS);
});
