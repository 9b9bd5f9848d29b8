import { describe, expect, test } from '@jest/globals';
import { extractResult } from './capture.ts';

describe('the result of an answer', () => {
  test.each([
    [
      '{"ok":true,"result":{"message_id":9007199254740993,"text":"a\\"}"}}',
      '{"message_id":9007199254740993,"text":"a\\"}"}',
    ],
    ['{"ok":true,"result":[1, 2 ],"description":"x"}', '[1, 2 ]'],
    [' { "description" : "Webhook was set", "result" : true , "ok" : true } ', 'true'],
    ['{"result":"\\\\","ok":true}', '"\\\\"'],
  ])('%s is taken as it stands', (answer, result) => expect(extractResult(answer)).toBe(result));

  test.each([
    '{"ok":false,"error_code":400,"description":"Bad Request"}',
    '{"ok":false,"result":1}',
    '{"ok":true}',
    '{"ok":true,"result":{"a":1}',
    '<html>',
    '',
    'null',
  ])('%j has none', (answer) => expect(extractResult(answer)).toBeNull());
});
