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

test.each([
  [
    ['SEND', 'getChat'],
    ['sendmessage', 'getchat'],
  ],
  [['sendSomethingNew'], ['sendsomethingnew']],
  [['new'], ['send', 'sendsomethingnew', 'getsomethingnew']],
  [
    ['new', 'getManagedBotSomething'],
    ['send', 'sendsomethingnew', 'getsomethingnew', 'getmanagedbotsomething'],
  ],
])('a group allows its methods and a name only itself: %j', (names, expected) => {
  const allowed = methodsNamed(names);
  const methods = ['sendmessage', 'getchat', 'getupdates', 'send', 'sendsomethingnew', 'getsomethingnew'];
  expect([...methods, 'getmanagedbotsomething', 'getmanagedbottoken'].filter((name) => allowed.has(name))).toEqual(
    expected,
  );
});

test('a method that we do not know has no group, and is written as it is given', () => {
  expect(groupOfMethod('sendsomethingnew')).toBeUndefined();
  expect(['sendmessage', 'sendsomethingnew'].map(writtenMethod)).toEqual(['sendMessage', 'sendsomethingnew']);
});
