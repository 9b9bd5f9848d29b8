import { badRequest } from '../bot-api-error.ts';
import { type Chat, isAdmin, isIn, showChat } from '../chats/chat.ts';
import { knownUser } from '../chats/chat-admin.ts';
import { findChat, findOwnChat } from '../chats/find-chat.ts';
import { showMember } from '../chats/show-member.ts';
import { platformId } from '../http/params.ts';
import type { Call } from './call.ts';
import { shownChatPhoto } from './chat-photo.ts';

export function getChat(call: Call): unknown {
  const chat = findChat(call);
  if (chat.person === null && chat.username === '') findOwnChat(call);
  const pinned = chat.pinned.at(-1);
  const pinned_message = pinned === undefined ? undefined : chat.messages.get(pinned);
  return {
    ...showChat(chat),
    ...shownChatPhoto(call.sim, chat),
    ...(chat.username !== '' && { active_usernames: [chat.username] }),
    ...(chat.description !== '' && { description: chat.description }),
    ...(chat.type !== 'private' && chat.type !== 'channel' && { permissions: chat.permissions }),
    ...shownInviteLink(call, chat),
    ...(pinned_message !== undefined && { pinned_message }),
    accent_color_id: Math.abs(chat.id) % 7,
    max_reaction_count: 11,
    accepted_gift_types: { unlimited_gifts: true, limited_gifts: true, unique_gifts: true, premium_subscription: true },
  };
}

export function getChatMember(call: Call): unknown {
  const chat = findSharedChat(call);
  const id = platformId(call.params, 'user_id');
  if (id <= 0) throw badRequest('invalid user_id specified');
  const user = knownUser(call.sim, id);
  if (user === undefined) throw badRequest('member not found');
  return showMember(chat, user, chat.members.get(id), call.bot.user.id);
}

/** The result omits other bots but includes the calling bot. */
export function getChatAdministrators(call: Call): unknown {
  const chat = findSharedChat(call);
  return [...chat.members.values()]
    .filter((member) => isAdmin(member) && (!member.user.is_bot || member.user.id === call.bot.user.id))
    .map((member) => showMember(chat, member.user, member, call.bot.user.id));
}

export function getChatMemberCount(call: Call): number {
  const chat = findOwnChat(call);
  return chat.person !== null ? 2 : [...chat.members.values()].filter(isIn).length;
}

function findSharedChat(call: Call): Chat {
  const chat = findOwnChat(call);
  if (chat.person !== null) throw badRequest('there are no administrators in the private chat');
  return chat;
}

/** At the platform too, a bot sees the primary link that it exported. */
function shownInviteLink({ bot }: Call, { inviteLinks }: Chat): Record<string, unknown> {
  const own = inviteLinks.find((link) => link.is_primary && !link.is_revoked && link.creator.id === bot.user.id);
  return own === undefined ? {} : { invite_link: own.invite_link };
}
