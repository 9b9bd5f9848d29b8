import { CAPTURED_METHODS } from '@flotilla/telegram/captured-methods.ts';
import { expect, test } from '@jest/globals';
import { METHOD_CLASSES, methodClass } from './metrics.ts';

test.each([
  ['getupdates', 'updates'],
  ['setwebhook', 'webhook'],
  ['sendmessage', 'send'],
  ['copymessages', 'send'],
  ['editmessagetext', 'edit'],
  ['stopmessagelivelocation', 'edit'],
  ['deletemessage', 'delete'],
  ['banchatmember', 'chat'],
  ['deletechatphoto', 'chat'],
  ['getme', 'get'],
  ['answercallbackquery', 'answer'],
  ['sendtomorrowsnews', 'send'],
  ['123456:token', 'other'],
  ['', 'other'],
])('%p counts as %s', (method, expected) => {
  expect(methodClass(method)).toBe(expected);
});

test('every method that is captured has a class of its own', () => {
  for (const method of CAPTURED_METHODS.keys()) expect(METHOD_CLASSES).toContain(methodClass(method));
  const kept = [...CAPTURED_METHODS].filter(([, { effect }]) => effect !== 'identity').map(([method]) => method);
  expect(kept.map(methodClass)).not.toContain('get');
});
