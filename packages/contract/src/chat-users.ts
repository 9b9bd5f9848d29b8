import { z } from 'zod';
import { PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT, EXAMPLE_USER_ID, EXAMPLE_USER_OF_CHAT } from './examples.ts';
import { isBotField, nameFields, okAnswer, userIdField } from './fields.ts';
import { botIdOfChat, chatId, flag, integer, pagedInputs, text, userOfChat } from './inputs.ts';
import { defineOperation } from './operation.ts';

const chatUserResource = z.strictObject({ id: userIdField, ...nameFields, is_bot: isBotField }).meta({ id: 'User' });

export type ChatUserResource = z.infer<typeof chatUserResource>;

const USER: ChatUserResource = { id: EXAMPLE_USER_ID, username: 'ada', first_name: 'Ada', is_bot: false };

export const chatUserOperations = {
  listChatUsers: defineOperation({
    method: 'GET',
    paths: ['/api/users/list'],
    role: 'any',
    summary: 'Lists the users who wrote in a chat, by id.',
    description: 'Channels and anonymous admins are authors of messages, but no users.',
    input: z.object({
      bot_id: botIdOfChat(),
      chat_id: chatId(),
      q: text({ max: 256 }).optional().describe('A part of a name or of the username. Case does not matter.'),
      ...pagedInputs({ default: 50 }),
    }),
    output: z.array(chatUserResource),
    botInputs: ['bot_id'],
    example: { input: { ...EXAMPLE_CHAT, q: 'ada' }, output: [USER] },
  }),

  banChatUser: defineOperation({
    method: 'POST',
    audit: ['ban'],
    paths: ['/api/users/ban'],
    role: 'any',
    summary: 'Bans a user from the chat.',
    description:
      'The platform decides whether the bot may do this. If it refuses, the answer is a 400 with its reason.',
    input: z.object({
      ...userOfChat(),
      until_date: integer({ min: 0, max: 2_147_483_647 })
        .describe(
          'When the ban ends, in Unix seconds. Absent, less than 30 s ahead or more than 366 days ahead: for ever.',
        )
        .optional(),
      revoke_messages: flag().describe('True: the messages of the user are deleted, too.').optional(),
    }),
    output: okAnswer,
    botInputs: ['bot_id'],
    errors: PLATFORM_ERRORS,
    example: { input: { ...EXAMPLE_USER_OF_CHAT, revoke_messages: true }, output: { ok: true } },
  }),

  unbanChatUser: defineOperation({
    method: 'POST',
    audit: ['unban'],
    paths: ['/api/users/unban'],
    role: 'any',
    summary: 'Lifts a ban. For a user who is not banned nothing changes.',
    input: z.object(userOfChat()),
    output: okAnswer,
    botInputs: ['bot_id'],
    readOnlyFields: ['until_date', 'revoke_messages'],
    errors: PLATFORM_ERRORS,
    example: { input: EXAMPLE_USER_OF_CHAT, output: { ok: true } },
  }),
};
