import { expect, test } from '@jest/globals';
import { kindsOfProgram } from './wanted-kinds.ts';

const DEFAULT = '!,chat_member,message_reaction,message_reaction_count,';

test('a webhook gets, of the kinds that it asks for, those that its program may see', () => {
  const of = (kinds: string[], webhookKinds: string[] | null) =>
    kindsOfProgram({ mode: 'push', kinds, webhook_kinds: webhookKinds });
  expect(of(['message', 'poll'], ['poll', 'chat_member'])).toBe(',poll,');
  expect(of(['message', 'poll'], null)).toBe(',message,poll,');
  // No kind at all, which is not the same as all of them.
  expect(of(['message'], ['poll'])).toBe(',,');
  expect(of([], ['chat_member'])).toBe(',chat_member,');
  expect(of([], null)).toBe(DEFAULT);
});

test('a program that pulls from now on is not held to the kinds of the webhook that it had', () => {
  const of = (kinds: string[]) => kindsOfProgram({ mode: 'pull', kinds, webhook_kinds: ['poll'] });
  expect([of(['message']), of([])]).toEqual([',message,', DEFAULT]);
});
