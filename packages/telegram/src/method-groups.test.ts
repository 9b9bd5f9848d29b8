import { writtenMethod } from '@flotilla/contract/bot-api/methods.ts';
import { documentedChats, documentedMethods } from '@flotilla/testing/documented-methods.ts';
import { expect, test } from '@jest/globals';
import { CAPTURED_METHOD_NAMES } from './captured-methods.ts';
import { chatParametersOf, groupOfMethod, methodsNamed } from './method-groups.ts';

const DOCUMENTED = documentedMethods();

test('every documented method, and every captured one, has a group', () => {
  expect(DOCUMENTED.length).toBeGreaterThan(150);
  const names = [...DOCUMENTED.map(({ name }) => name), ...CAPTURED_METHOD_NAMES];
  expect(names.filter((name) => groupOfMethod(name.toLowerCase()) === undefined)).toEqual([]);
});

test('the methods of chats are those with chat_id, and their other chats are known', () => {
  for (const method of DOCUMENTED) {
    const { name } = method;
    expect({ name, chats: chatParametersOf(name.toLowerCase()) }).toEqual({ name, chats: documentedChats(method) });
  }
});

test('the lists of commands, which many programs set when they start, are in a group', () => {
  const allowed = methodsNamed(['edit']);
  expect(['setmycommands', 'deletemycommands', 'setmyname'].map((name) => allowed.has(name))).toEqual([
    true,
    true,
    false,
  ]);
});

test('a group allows its methods, a name only itself, and nothing unknown', () => {
  const allowed = methodsNamed(['SEND', 'getChat', 'sendSomethingNew']);
  expect(['sendmessage', 'getchat', 'getupdates', 'sendsomethingnew'].map((name) => allowed.has(name))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(groupOfMethod('sendsomethingnew')).toBeUndefined();
  expect(['sendmessage', 'sendsomethingnew'].map(writtenMethod)).toEqual(['sendMessage', 'sendsomethingnew']);
});
