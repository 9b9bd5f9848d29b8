import { z } from 'zod';
import { AUDIT_ENTRY, auditEntry } from './audit.ts';
import { PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT, EXAMPLE_USER_ID, EXAMPLE_USER_OF_CHAT } from './examples.ts';
import { botIdField, chatIdField, isBotField, nameFields, okAnswer, userIdField } from './fields.ts';
import {
  anyBotId,
  authorId,
  botId,
  botIdOfChat,
  chatId,
  flag,
  integer,
  limitInput,
  pagedInputs,
  text,
  userOfChat,
} from './inputs.ts';
import { defineOperation } from './operation.ts';
import { TAG, tagResource } from './tags.ts';

const chatUserResource = z.strictObject({ id: userIdField, ...nameFields, is_bot: isBotField }).meta({ id: 'User' });

export type ChatUserResource = z.infer<typeof chatUserResource>;

const USER: ChatUserResource = { id: EXAMPLE_USER_ID, username: 'ada', first_name: 'Ada', is_bot: false };

/** The most chats that are shown of one person. */
export const CHATS_OF_PERSON = 50;

const personResource = z
  .strictObject({
    user_id: userIdField,
    ...nameFields,
    chats: z
      .array(
        z.strictObject({
          bot_id: botIdField,
          chat_id: chatIdField,
          title: z.string().describe('The title. Of a private chat, the name of the person.').optional(),
          messages: z.int().describe('The number of messages of this person that are kept and not deleted.'),
          last_message_at: z.iso.datetime().describe('When this person wrote last there, to the minute.'),
        }),
      )
      .describe(
        `The chats of the caller's bots in which the person wrote, the newest first, at most ${CHATS_OF_PERSON}.`,
      ),
  })
  .meta({ id: 'Person' });

export type PersonResource = z.infer<typeof personResource>;

const PERSON: PersonResource = {
  user_id: EXAMPLE_USER_ID,
  username: 'ada',
  first_name: 'Ada',
  chats: [{ ...EXAMPLE_CHAT, title: 'Customers', messages: 12, last_message_at: '2026-01-02T10:15:00.000Z' }],
};

/** The most entries and suggestions that are shown of one person. */
export const ACTIONS_OF_PERSON = 50;
export const SUGGESTED_TAGS = 50;

const chatPersonResource = z
  .strictObject({
    user_id: userIdField,
    ...nameFields,
    messages: z.int().describe('The number of messages of this author in the chat that are kept and not deleted.'),
    first_message_at: z.iso
      .datetime()
      .describe('When the oldest of these was written. Absent: there is none.')
      .optional(),
    tags: z.array(tagResource.answer).describe('The tags of the person in this chat, oldest first.'),
    suggested_tags: z
      .array(z.strictObject({ tag: tagResource.answer.shape.tag, color: tagResource.answer.shape.color }))
      .describe(
        `The tags that others in the chat have and the person has not, the one that most people have first, at most ${SUGGESTED_TAGS}.`,
      ),
    private_chats: z
      .array(z.strictObject({ bot_id: botIdField, bot_name: z.string().describe('The name of the bot.') }))
      .describe("The caller's bots that know a private chat with the person, at most 200."),
    actions: z
      .array(auditEntry.answer)
      .describe(`What was done to the person in this chat, the newest first, at most ${ACTIONS_OF_PERSON}.`),
  })
  .meta({ id: 'ChatPerson' });

export type ChatPersonResource = z.infer<typeof chatPersonResource>;

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

  showChatUser: defineOperation({
    method: 'GET',
    paths: ['/api/users/show'],
    role: 'any',
    summary: 'Shows one author in a chat: names, messages, tags, what was done, and private chats with your bots.',
    description:
      'An author who is not known has no names and 0 messages. As in the audit log, only admins see addresses and keys.',
    input: z.object({ bot_id: botId(), chat_id: chatId(), user_id: authorId() }),
    output: chatPersonResource,
    botInputs: ['bot_id'],
    example: {
      input: EXAMPLE_USER_OF_CHAT,
      output: {
        ...{ user_id: EXAMPLE_USER_ID, username: 'ada', first_name: 'Ada' },
        ...{ messages: 12, first_message_at: '2026-01-02T10:15:00.000Z', tags: [TAG] },
        suggested_tags: [{ tag: 'refund', color: '#808080' }],
        private_chats: [{ bot_id: 7, bot_name: 'Help desk' }],
        actions: [AUDIT_ENTRY],
      },
    },
  }),

  findPeople: defineOperation({
    method: 'GET',
    paths: ['/api/people'],
    role: 'any',
    summary: 'Finds people by name, @username or id, with the chats in which they wrote.',
    description:
      'All words must begin a word of the names or of the username; case and accents do not matter. Whoever wrote last comes first. Names are those of the newest message. What a group had before it became a supergroup is counted in the supergroup. Bots, channels and anonymous admins are no people.',
    input: z.object({
      q: text({ min: 1, max: 256 }).describe(
        'Words of a name, a `@username` or its beginning, or the id at the platform.',
      ),
      bot_id: anyBotId(),
      limit: limitInput({ default: 20, max: 100 }),
    }),
    output: z.array(personResource),
    botInputs: ['bot_id'],
    limits: ['searches'],
    errors: ['too_many_requests'],
    example: { input: { q: 'ada' }, output: [PERSON] },
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
