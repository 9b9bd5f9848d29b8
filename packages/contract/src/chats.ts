import { z } from 'zod';
import { PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT, EXAMPLE_CHAT_ID } from './examples.ts';
import { botIdField, nameFields, okAnswer } from './fields.ts';
import { botId, chatId, pagedInputs, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';

export const CHAT_TYPES = ['private', 'group', 'supergroup', 'channel'] as const;

export const chatResource = z
  .strictObject({
    id: z.int().describe("The platform's id of the chat."),
    bot_id: botIdField,
    title: z.string().describe('The title. Of a private chat, the name of the person.').optional(),
    type: z.enum(CHAT_TYPES).describe("The kind of chat, in the platform's words."),
    ...nameFields,
    message_count: z.int().describe('The number of messages that are kept and not deleted.'),
  })
  .meta({ id: 'Chat' });

export type ChatResource = z.infer<typeof chatResource>;

const CHAT: ChatResource = {
  id: EXAMPLE_CHAT_ID,
  bot_id: 7,
  title: 'Customers',
  type: 'supergroup',
  username: 'customers',
  message_count: 1234,
};

const oneChat = { input: z.object({ bot_id: botId(), chat_id: chatId() }), botInputs: ['bot_id'] } as const;

export const chatOperations = {
  listChats: defineOperation({
    method: 'GET',
    paths: ['/api/chats'],
    role: 'any',
    summary: 'Lists the chats in which a bot was seen, by id.',
    input: z.object({
      bot_id: botId(),
      q: text({ max: 256 })
        .optional()
        .describe('A part of the title, of a name or of the username. Case does not matter.'),
      type: z.enum(CHAT_TYPES).optional().describe('Only chats of this kind.'),
      ...pagedInputs(),
    }),
    output: z.array(chatResource),
    botInputs: ['bot_id'],
    example: { input: { bot_id: 7, q: 'custom' }, output: [CHAT] },
  }),

  refreshChat: defineOperation({
    ...oneChat,
    method: 'GET',
    paths: ['/api/chats/refresh'],
    role: 'any',
    summary: 'Asks the platform for the current title and names of a chat, and stores them.',
    output: chatResource,
    errors: PLATFORM_ERRORS,
    example: { input: EXAMPLE_CHAT, output: CHAT },
  }),

  deleteChat: defineOperation({
    ...oneChat,
    method: 'POST',
    audit: ['chat_delete'],
    paths: ['/api/chats/delete'],
    role: 'any',
    summary: 'Removes a chat and its messages from Flotilla. Nothing changes at the platform.',
    output: okAnswer,
    readOnlyFields: fieldsBeside(chatResource, oneChat.input.shape),
    example: { input: EXAMPLE_CHAT, output: { ok: true } },
  }),
};
