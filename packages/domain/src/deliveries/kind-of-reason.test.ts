import { expect, test } from '@jest/globals';
import { kindOfReason } from './kind-of-reason.ts';

test.each([
  ['push', 'expired before it could be delivered', 'expired'],
  ['push', 'its handling was begun 3 times and never ended', 'begun_too_often'],
  ['push', 'Wrong response from the webhook: 500 Internal Server Error', 'refused'],
  ['push', 'Read timeout expired', 'unreachable'],
  ['push', 'connect ECONNREFUSED 10.0.0.1:443', 'unreachable'],
  ['rules', 'expired before it could be routed', 'expired'],
  ['rules', 'its handling was begun 3 times and never ended', 'begun_too_often'],
  ['rules', 'chat 5: 403 Forbidden: bot was blocked by the user', 'refused'],
])('a dead letter of %s because %p counts as %s', (reader, reason, kind) => {
  expect(kindOfReason(reader, reason)).toBe(kind);
});
