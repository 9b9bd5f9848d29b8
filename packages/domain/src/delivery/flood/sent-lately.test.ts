import { expect, test } from '@jest/globals';
import { sentLately } from './sent-lately.ts';

const message = (chat: number) => ({
  ...{ message_id: 1, from: { id: 7 }, sender_chat: { id: -9 }, chat: { id: chat, type: 'private' } },
  text: 'not "chat":{"id":8}',
});
const call = (method: string, result: unknown, params: Record<string, string> = {}) => ({
  ...{ method, params, result: JSON.stringify(result) },
});

test('messages are counted for the chat that took them, an album and copies as many', () => {
  const sent = sentLately();
  sent.note(1, call('sendmessage', message(5), { chat_id: '@name' }));
  sent.note(1, call('editmessagetext', message(5)));
  sent.note(1, call('sendmediagroup', [message(-100), message(-100), message(-100)]));
  sent.note(1, call('copymessages', [{ message_id: 1 }, { message_id: 2 }], { chat_id: '6', message_ids: '[1,2]' }));
  sent.note(1, call('getchat', { id: 5 }, { chat_id: '5' }));
  sent.note(2, call('sendmessage', message(5)));
  const count = (chat: number) => sent.count(1, String(chat));
  expect([count(5), count(-100), count(6), count(8), count(-9), sent.count(2, '5')]).toEqual([2, 3, 2, 0, 0, 1]);
});
