import { z } from 'zod';
import { PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT, EXAMPLE_USER_ID, EXAMPLE_USER_OF_CHAT } from './examples.ts';
import { isBotField, nameFields, okAnswer } from './fields.ts';
import { botId, chatId, flag, jsonObject, pagedInputs, text, userOfChat } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** The permissions of a chat-admin, under the platform's names. */
const PERMISSIONS = {
  can_change_info: 'Change the title, the picture and the like.',
  can_post_messages: 'Post in a channel.',
  can_edit_messages: 'Edit the posts of others in a channel.',
  can_delete_messages: 'Delete messages of others.',
  can_invite_users: 'Invite people.',
  can_restrict_members: 'Restrict and ban members.',
  can_pin_messages: 'Pin messages.',
  can_promote_members: 'Make others administrators.',
  can_manage_video_chats: 'Manage video chats.',
  can_manage_chat: 'What every administrator may do: see who did what, statistics and hidden members.',
} as const;

export type ChatPermission = keyof typeof PERMISSIONS;
export type ChatPermissions = Record<ChatPermission, boolean>;

/** An object with one value for each permission. */
export function eachPermission<Value>(make: (permission: ChatPermission) => Value): Record<ChatPermission, Value> {
  const names = Object.keys(PERMISSIONS) as ChatPermission[];
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<ChatPermission, Value>;
}

const chatPermissions = z
  .strictObject(eachPermission((name) => z.boolean().describe(PERMISSIONS[name])))
  .meta({ id: 'ChatPermissions' });

const chatAdminResource = z
  .strictObject({
    id: z.int().describe("The platform's id of the administrator."),
    ...nameFields,
    is_bot: isBotField,
    status: z.enum(['creator', 'administrator']).describe('A creator has every permission.'),
    custom_title: z.string().describe('The title that is shown beside the name.').optional(),
    can_be_edited: z.boolean().describe('True if the bot may change the permissions of this administrator.'),
    permissions: chatPermissions.describe('What the administrator may do.'),
  })
  .meta({ id: 'Admin' });

export type ChatAdminResource = z.infer<typeof chatAdminResource>;

const ADMIN: ChatAdminResource = {
  id: EXAMPLE_USER_ID,
  username: 'ada',
  first_name: 'Ada',
  is_bot: false,
  status: 'administrator',
  custom_title: 'Moderator',
  can_be_edited: true,
  permissions: { ...eachPermission(() => false), can_delete_messages: true, can_restrict_members: true },
};

const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\u20E3/u;

const wantedPermissions = jsonObject(
  eachPermission((name) => flag().describe(PERMISSIONS[name]).default(false)),
).refine((wanted) => Object.values(wanted).includes(true), 'must grant something; use the call that demotes instead');

export const chatAdminOperations = {
  listChatAdmins: defineOperation({
    method: 'GET',
    paths: ['/api/admins'],
    role: 'any',
    summary: 'Lists the current administrators of a chat, its creator first.',
    description: 'Each call asks the platform.',
    input: z.object({ bot_id: botId(), chat_id: chatId(), ...pagedInputs() }),
    output: z.array(chatAdminResource),
    botInputs: ['bot_id'],
    errors: PLATFORM_ERRORS,
    example: { input: EXAMPLE_CHAT, output: [ADMIN] },
  }),

  setChatAdminTitle: defineOperation({
    method: 'POST',
    audit: ['title'],
    paths: ['/api/admins/title'],
    role: 'any',
    summary: 'Sets the title of an administrator whom the bot appointed.',
    input: z.object({
      ...userOfChat(),
      title: text({ max: 16 })
        .refine((title) => !EMOJI.test(title), 'must not contain emoji')
        .describe('At most 16 characters, no emoji. An empty text removes the title.'),
    }),
    output: okAnswer,
    botInputs: ['bot_id'],
    errors: PLATFORM_ERRORS,
    example: { input: { ...EXAMPLE_USER_OF_CHAT, title: 'Moderator' }, output: { ok: true } },
  }),

  promoteChatUser: defineOperation({
    method: 'POST',
    audit: ['promote'],
    paths: ['/api/admins/promote'],
    role: 'any',
    summary: 'Makes a member an administrator, or changes the permissions of an administrator.',
    input: z.object({
      ...userOfChat(),
      permissions: wantedPermissions
        .describe(
          'All permissions that the administrator has from now on; an absent one is not granted. Without `permissions`: all that the bot itself has, except making others administrators.',
        )
        .optional(),
    }),
    output: okAnswer,
    botInputs: ['bot_id'],
    errors: PLATFORM_ERRORS,
    example: {
      input: { ...EXAMPLE_USER_OF_CHAT, permissions: { can_delete_messages: true, can_restrict_members: true } },
      output: { ok: true },
    },
  }),

  demoteChatAdmin: defineOperation({
    method: 'POST',
    audit: ['demote'],
    paths: ['/api/admins/demote'],
    role: 'any',
    summary: 'Takes all permissions from an administrator whom the bot appointed. They are a member again.',
    input: z.object(userOfChat()),
    output: okAnswer,
    botInputs: ['bot_id'],
    readOnlyFields: ['permissions'],
    errors: PLATFORM_ERRORS,
    example: { input: EXAMPLE_USER_OF_CHAT, output: { ok: true } },
  }),
};
