import { z } from 'zod';
import { chatId, ownId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { unpagedInputs } from '../paging.ts';
import { okAnswer } from '../resources/answers.ts';
import { CHAT_TYPES, chatResource } from '../resources/chat.ts';

export const listChats = defineOperation({
  name: 'listChats',
  method: 'GET',
  paths: ['/api/chats'],
  role: 'any',
  summary: 'The chats a bot has been seen in, by id.',
  input: z.object({
    bot_id: ownId(),
    q: text({ max: 256 }).optional().describe('A part of the title, a name or the username, in any case.'),
    type: z.enum(CHAT_TYPES).optional().describe('Only chats of this kind.'),
    ...unpagedInputs(),
  }),
  output: z.array(chatResource),
  botInputs: ['bot_id'],
});

const oneChat = { input: z.object({ bot_id: ownId(), chat_id: chatId() }), botInputs: ['bot_id'] } as const;

export const refreshChat = defineOperation({
  ...oneChat,
  name: 'refreshChat',
  method: 'GET',
  paths: ['/api/chats/refresh'],
  role: 'any',
  summary: 'Asks the platform what the chat is called now, and keeps the answer.',
  output: chatResource,
});

export const deleteChat = defineOperation({
  ...oneChat,
  name: 'deleteChat',
  method: 'POST',
  audit: ['chat_delete'],
  paths: ['/api/chats/delete'],
  role: 'any',
  summary: 'Removes the chat and its messages from our records; at the platform nothing changes.',
  output: okAnswer,
  readOnlyFields: Object.keys(chatResource.shape).filter((field) => field !== 'bot_id'),
});
