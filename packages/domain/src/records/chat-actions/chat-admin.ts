import { type ChatPermissions, eachPermission } from '@flotilla/contract/chat-admins.ts';
import { readUserFacts, type SenderFacts } from '@flotilla/telegram/message-facts.ts';
import { type Fields, readObject, readText } from '@flotilla/telegram/platform-fields.ts';

/** An administrator of a chat at the platform. */
export interface ChatAdmin {
  user: SenderFacts;
  status: 'creator' | 'administrator';
  custom_title: string | null;
  can_be_edited: boolean;
  permissions: ChatPermissions;
}

/** Reads a ChatMember of the Bot API; null for a member who is not an administrator. */
export function readChatAdmin(value: unknown): ChatAdmin | null {
  if (typeof value !== 'object' || value === null) return null;
  const member = value as Fields;
  const { status } = member;
  if (status !== 'creator' && status !== 'administrator') return null;
  return {
    user: readUserFacts(readObject(member, 'user') ?? {}),
    status,
    custom_title: readText(member, 'custom_title'),
    can_be_edited: member.can_be_edited === true,
    // The platform lists no rights for a creator, who has all of them.
    permissions: eachPermission((permission) => status === 'creator' || member[permission] === true),
  };
}
