import { METHOD_FAMILIES } from '@flotilla/contract/bot-api/methods.ts';
import { documentedMethods } from '@flotilla/testing/documented-methods.ts';
import { expect, test } from '@jest/globals';
import { capturedMethod } from './captured-methods.ts';
import { familyOf } from './method-families.ts';

const DOCUMENTED = documentedMethods().map(({ name }) => name);
const family = (name: string) => familyOf(name.toLowerCase());
const inFamily = (name: string | null) => DOCUMENTED.filter((method) => family(method) === name);

test('every family has methods, and only methods that the platform exempts are in none', () => {
  for (const name of METHOD_FAMILIES) expect(inFamily(name).length).toBeGreaterThan(0);
  const exempt = ['close', 'deleteWebhook', 'getMe', 'getUpdates', 'getWebhookInfo', 'logOut', 'setWebhook'];
  expect(inFamily(null).sort()).toEqual(exempt);
});

test('what the history keeps as a message that was sent or copied is a send or an edit', () => {
  const kept = DOCUMENTED.filter((name) => {
    const effect = capturedMethod(name.toLowerCase())?.effect;
    return effect === 'messages' || effect === 'copies' || effect === 'edits';
  });
  expect(kept.length).toBeGreaterThan(30);
  expect(kept.filter((name) => family(name) !== 'send' && family(name) !== 'edit')).toEqual([]);
});

test('what only shows that something is being written is a chat action', () => {
  expect(inFamily('chat_action').sort()).toEqual(['sendChatAction', 'sendMessageDraft', 'sendRichMessageDraft']);
});

test('names that look alike are told apart, and an unknown send counts as one', () => {
  const names = ['editForumTopic', 'editChatInviteLink', 'editUserStarSubscription', 'sendGift', 'answerInlineQuery'];
  expect(names.map(family)).toEqual(names.map(() => 'other'));
  expect([family('sendSomethingNew'), family('createForumTopic'), family('stopPoll')]).toEqual([
    'send',
    'send',
    'edit',
  ]);
});
