import { z } from 'zod';

/** What a chat-admin may be allowed to do, by the platform's names. */
export const CHAT_PERMISSIONS = [
  'can_change_info',
  'can_post_messages',
  'can_edit_messages',
  'can_delete_messages',
  'can_invite_users',
  'can_restrict_members',
  'can_pin_messages',
  'can_promote_members',
  'can_manage_video_chats',
  'can_manage_chat',
] as const;
export type ChatPermission = (typeof CHAT_PERMISSIONS)[number];
export type ChatPermissions = Record<ChatPermission, boolean>;

/** An object with the same for each permission. */
export function eachPermission<Value>(make: (permission: ChatPermission) => Value): Record<ChatPermission, Value> {
  const entries = CHAT_PERMISSIONS.map((permission) => [permission, make(permission)] as const);
  return Object.fromEntries(entries) as Record<ChatPermission, Value>;
}

export const chatAdminResource = z
  .strictObject({
    id: z.int(),
    username: z.string().optional(),
    first_name: z.string().optional(),
    last_name: z.string().optional(),
    is_bot: z.boolean(),
    status: z.enum(['creator', 'administrator']),
    custom_title: z.string().optional(),
    can_be_edited: z.boolean().describe('Whether the bot may change what this administrator may do.'),
    permissions: z.strictObject(eachPermission(() => z.boolean())).meta({ id: 'ChatPermissions' }),
  })
  .meta({ id: 'Admin' });

export type ChatAdminResource = z.infer<typeof chatAdminResource>;
