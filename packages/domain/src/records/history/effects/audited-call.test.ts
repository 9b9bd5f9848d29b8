import { CAPTURED_METHODS } from '@flotilla/telegram/captured-methods.ts';
import { expect, test } from '@jest/globals';
import { readAuditedCall } from './audited-call.ts';

test('every method that is captured for the audit log has an entry there', () => {
  const audited = [...CAPTURED_METHODS].filter(([, { effect }]) => effect === 'audit').map(([method]) => method);
  expect(audited.filter((method) => readAuditedCall(method, {}) === null)).toEqual([]);
});

test('methods that change no chat have none, whatever their name', () => {
  expect(['sendMessage', 'getChat', 'constructor', ''].map((method) => readAuditedCall(method, {}))).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
