import { expect, test } from '@jest/globals';
import { parameterJson } from './parameter-json.ts';

test('half a surrogate pair becomes the replacement character, at every depth; whole pairs stay', () => {
  const sent = parameterJson({ text: 'half \ud83d', media: [{ caption: '\ude00 half, 😀 whole' }], count: 3 });
  expect(JSON.parse(sent)).toEqual({ text: 'half �', media: [{ caption: '� half, 😀 whole' }], count: 3 });
});
