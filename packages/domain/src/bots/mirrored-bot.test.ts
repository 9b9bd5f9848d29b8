import { aBot } from '@flotilla/testing/a-bot.ts';
import { expect, test } from '@jest/globals';
import { botFromMirror, mirroredText } from './mirrored-bot.ts';

test('a mirrored bot is read back as it was, and names its registration id as the previous release does', () => {
  const bot = aBot();
  expect(botFromMirror(mirroredText(bot))).toEqual(bot);
  expect(JSON.parse(mirroredText(bot))).toMatchObject({ generation: bot.registrationId });
  expect(mirroredText(bot)).not.toContain('registrationId');
});
