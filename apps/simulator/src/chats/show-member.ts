import { ALL_PERMISSIONS, ALL_RIGHTS, type Chat, type Member } from './chat.ts';
import type { User } from './user.ts';

const CHANNEL_ONLY = new Set(['can_post_messages', 'can_edit_messages']);

/** A ChatMember as the bot `viewerId` sees it; can_be_edited depends on the viewer. */
export function showMember(
  chat: Chat,
  user: User,
  member: Member | undefined,
  viewerId: number,
): Record<string, unknown> {
  if (member === undefined) return { user, status: 'left' };
  const title = member.customTitle === '' ? {} : { custom_title: member.customTitle };
  switch (member.status) {
    case 'creator':
      return { user, status: 'creator', is_anonymous: member.isAnonymous, ...title };
    case 'administrator': {
      const rights = ALL_RIGHTS.filter((right) => !CHANNEL_ONLY.has(right) || chat.type === 'channel').map((right) => [
        right,
        member.rights[right] === true,
      ]);
      const can_be_edited = member.promotedBy === viewerId;
      return {
        user,
        status: 'administrator',
        can_be_edited,
        ...Object.fromEntries(rights),
        is_anonymous: member.isAnonymous,
        ...title,
      };
    }
    case 'restricted': {
      const permissions = ALL_PERMISSIONS.map((permission) => [permission, member.permissions[permission] === true]);
      return {
        user,
        status: 'restricted',
        until_date: member.untilDateS,
        is_member: true,
        ...Object.fromEntries(permissions),
      };
    }
    case 'kicked':
      return { user, status: 'kicked', until_date: member.untilDateS };
    default:
      return { user, status: member.status };
  }
}
