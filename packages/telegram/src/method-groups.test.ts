import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CAPTURED_METHOD_NAMES } from './captured-methods.ts';
import { chatParametersOf, groupOfMethod, methodsNamed } from './method-groups.ts';

/** Every method and its parameters, from the types that a client library keeps beside the platform's documentation. */
const folder = dirname(createRequire(import.meta.url).resolve('@grammyjs/types/package.json'));
const text = readFileSync(join(folder, 'methods.d.ts'), 'utf8').split('export type ApiMethods')[1]!;
const DOCUMENTED = text
  .split(/^ {4}(?=\w+\()/m)
  .slice(1)
  .map((method) => ({
    name: /^\w+/.exec(method)![0],
    parameters: [...method.matchAll(/^ {8}(\w+)\??:/gm)].map(([, name]) => name!),
  }));

/** These touch a business account, another user or another place than the chat, so `chat_id` does not tell all. */
const TOUCH_MORE = [
  'sendChecklist',
  'editMessageChecklist',
  'sendGift',
  'setChatMenuButton',
  'getChatMenuButton',
  'readBusinessMessage',
  'repostStory',
];

test('every documented method, and every captured one, has a group', () => {
  expect(DOCUMENTED.length).toBeGreaterThan(150);
  const names = [...DOCUMENTED.map(({ name }) => name), ...CAPTURED_METHOD_NAMES];
  expect(names.filter((name) => groupOfMethod(name.toLowerCase()) === undefined)).toEqual([]);
});

test('the methods of chats are those with chat_id, and their other chats are known', () => {
  for (const { name, parameters } of DOCUMENTED) {
    const named = parameters.filter((parameter) => ['chat_id', 'from_chat_id'].includes(parameter)).sort();
    const isOfChats = named.includes('chat_id') && !TOUCH_MORE.includes(name);
    expect({ name, chats: chatParametersOf(name.toLowerCase()) }).toEqual({ name, chats: isOfChats ? named : null });
  }
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
});
