import { z } from 'zod';
import { chatId, flag, integer, ownId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { unpagedInputs } from '../paging.ts';
import { okAnswer } from '../resources/answers.ts';
import { chatAdminResource, eachPermission } from '../resources/chat-admin.ts';

const userOfChat = { bot_id: ownId(), chat_id: chatId(), user_id: integer({ min: 1 }) };

export const listChatAdmins = defineOperation({
  name: 'listChatAdmins',
  method: 'GET',
  paths: ['/api/admins'],
  role: 'any',
  summary: 'The administrators of a chat as the platform names them now, its creator first.',
  input: z.object({ bot_id: ownId(), chat_id: chatId(), ...unpagedInputs() }),
  output: z.array(chatAdminResource),
  botInputs: ['bot_id'],
});

const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\u20E3/u;

export const setChatAdminTitle = defineOperation({
  name: 'setChatAdminTitle',
  method: 'POST',
  audit: ['title'],
  paths: ['/api/admins/title'],
  role: 'any',
  summary: 'Gives an administrator whom the bot appointed a title.',
  input: z.object({
    ...userOfChat,
    title: text({ max: 16 })
      .refine((title) => !EMOJI.test(title), 'must not contain emoji')
      .describe('At most 16 characters, no emoji; an empty one takes the title away.'),
  }),
  output: okAnswer,
  botInputs: ['bot_id'],
});

/** A query string carries the object as JSON text. */
function readObject(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const permissions = z.preprocess(
  readObject,
  z
    .strictObject(
      eachPermission(() => flag().default(false)),
      {
        error: (issue) => (issue.code === 'unrecognized_keys' ? `has no ${issue.keys.join(', ')}` : undefined),
      },
    )
    .refine((wanted) => Object.values(wanted).includes(true), 'must grant something; demoting is a call of its own'),
);

export const promoteChatUser = defineOperation({
  name: 'promoteChatUser',
  method: 'POST',
  audit: ['promote'],
  paths: ['/api/admins/promote'],
  role: 'any',
  summary: 'Makes a member an administrator, or changes what an administrator may do.',
  input: z.object({
    ...userOfChat,
    permissions: permissions
      .describe(
        'Exactly these from now on; what is absent is not permitted. Without permissions: all that the bot itself has, except appointing administrators.',
      )
      .optional(),
  }),
  output: okAnswer,
  botInputs: ['bot_id'],
});

export const demoteChatAdmin = defineOperation({
  name: 'demoteChatAdmin',
  method: 'POST',
  audit: ['demote'],
  paths: ['/api/admins/demote'],
  role: 'any',
  summary: 'Makes an administrator whom the bot appointed a member again, without any permission.',
  input: z.object(userOfChat),
  output: okAnswer,
  botInputs: ['bot_id'],
  readOnlyFields: ['permissions'],
});
