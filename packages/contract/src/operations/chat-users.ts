import { z } from 'zod';
import { chatId, flag, integer, ownId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { unpagedInputs } from '../paging.ts';
import { okAnswer } from '../resources/answers.ts';
import { chatUserResource } from '../resources/chat-user.ts';

export const listChatUsers = defineOperation({
  name: 'listChatUsers',
  method: 'GET',
  paths: ['/api/users/list'],
  role: 'any',
  summary: 'Who wrote in a chat, by id.',
  input: z.object({
    bot_id: ownId().optional(),
    chat_id: chatId(),
    q: text({ max: 256 }).optional().describe('A part of a name or the username, in any case.'),
    ...unpagedInputs(),
    limit: integer({ min: 1 }).default(50).describe('How many at most.'),
  }),
  output: z.array(chatUserResource),
  botInputs: ['bot_id'],
});

const userOfChat = { bot_id: ownId(), chat_id: chatId(), user_id: integer({ min: 1 }) };

export const banChatUser = defineOperation({
  name: 'banChatUser',
  method: 'POST',
  audit: ['ban'],
  paths: ['/api/users/ban'],
  role: 'any',
  summary: 'Bans a user from the chat.',
  input: z.object({
    ...userOfChat,
    until_date: integer({ min: 0, max: 2_147_483_647 })
      .describe('Unix seconds; absent, or nearer than 30 s or farther than 366 days: for ever.')
      .optional(),
    revoke_messages: flag().describe('Also deletes what the user wrote.').optional(),
  }),
  output: okAnswer,
  botInputs: ['bot_id'],
});

export const unbanChatUser = defineOperation({
  name: 'unbanChatUser',
  method: 'POST',
  audit: ['unban'],
  paths: ['/api/users/unban'],
  role: 'any',
  summary: 'Lifts a ban; who is not banned stays what they are.',
  input: z.object(userOfChat),
  output: okAnswer,
  botInputs: ['bot_id'],
  readOnlyFields: ['until_date', 'revoke_messages'],
});
