import { badRequest } from '../bot-api-error.ts';
import { changeMember } from '../chats/change-member.ts';
import { ALL_PERMISSIONS, ALL_RIGHTS, type Chat, hasRight, isIn } from '../chats/chat.ts';
import { findGovernedChat, findUser, refuseUntouchable } from '../chats/chat-admin.ts';
import { boolean, integer, jsonObject, text } from '../http/params.ts';
import { forgetMessage } from '../messages/keep-message.ts';
import type { Call } from './call.ts';

const NO_RESTRICTING = 'not enough rights to restrict/unrestrict chat member';

export function banChatMember(call: Call): true {
  const chat = findGovernedChat(call, 'can_restrict_members', NO_RESTRICTING);
  const user = findUser(call);
  refuseUntouchable(call, chat, user);
  const untilDateS = integer(call.params, 'until_date', 0);
  changeMember(call.sim, chat, call.bot.user, user, { status: 'kicked', untilDateS, rights: {}, customTitle: '' });
  if (!boolean(call.params, 'revoke_messages')) return true;
  for (const [id, message] of chat.messages) if (message.from?.id === user.id) forgetMessage(call.sim, chat, id);
  return true;
}

export function unbanChatMember(call: Call): true {
  const chat = findGovernedChat(call, 'can_restrict_members', NO_RESTRICTING);
  const user = findUser(call);
  const member = chat.members.get(user.id);
  if (member?.status !== 'kicked' && boolean(call.params, 'only_if_banned')) return true;
  if (isIn(member)) refuseUntouchable(call, chat, user);
  if (member !== undefined && member.status !== 'left') {
    changeMember(call.sim, chat, call.bot.user, user, { status: 'left', untilDateS: 0 });
  }
  return true;
}

export function restrictChatMember(call: Call): true {
  const chat = findGovernedChat(call, 'can_restrict_members', NO_RESTRICTING);
  if (chat.type !== 'supergroup') throw badRequest('method is available only for supergroups');
  const user = findUser(call);
  refuseUntouchable(call, chat, user);
  const permissions = readPermissions(call);
  const free = ALL_PERMISSIONS.every((permission) => permissions[permission]);
  const status = free ? 'member' : 'restricted';
  const untilDateS = integer(call.params, 'until_date', 0);
  changeMember(call.sim, chat, call.bot.user, user, { status, permissions, untilDateS, rights: {} });
  return true;
}

export function setChatPermissions(call: Call): true {
  const chat = findGovernedChat(call, 'can_restrict_members', 'not enough rights to change chat permissions');
  chat.permissions = readPermissions(call);
  call.sim.storage.saveChat(chat);
  return true;
}

/** Reads ChatPermissions. Older clients send one permission for all media, which implies the finer ones. */
function readPermissions(call: Call): Record<string, boolean> {
  const given = jsonObject(call.params, 'permissions') ?? flatPermissions(call);
  const sends = given.can_send_messages === true;
  const media = given.can_send_media_messages === true;
  return Object.fromEntries(
    ALL_PERMISSIONS.map((name) => {
      const implied = media && /^can_send_(audios|documents|photos|videos|video_notes|voice_notes)$/.test(name);
      return [name, name === 'can_send_messages' ? sends || media : given[name] === true || implied];
    }),
  );
}

function flatPermissions({ params }: Call): Record<string, unknown> {
  return Object.fromEntries([...params.values.keys()].map((name) => [name, boolean(params, name)]));
}

export function promoteChatMember(call: Call): true {
  const chat = findGovernedChat(call, 'can_promote_members', 'not enough rights');
  if (chat.type === 'group') throw badRequest('method is available for supergroup and channel chats only');
  const user = findUser(call);
  refusePromotion(call, chat, user.id);
  const rights = Object.fromEntries(ALL_RIGHTS.map((right) => [right, boolean(call.params, right)]));
  const any = ALL_RIGHTS.some((right) => rights[right]);
  if (any) rights.can_manage_chat = true;
  const own = chat.members.get(call.bot.user.id);
  const beyond = ALL_RIGHTS.filter((right) => rights[right] && right !== 'can_manage_chat' && !hasRight(own, right));
  if (beyond.length > 0) throw badRequest('RIGHT_FORBIDDEN');
  changeMember(call.sim, chat, call.bot.user, user, {
    status: any ? 'administrator' : 'member',
    rights: any ? rights : {},
    isAnonymous: any && boolean(call.params, 'is_anonymous'),
    promotedBy: any ? call.bot.user.id : 0,
    ...(!any && { customTitle: '' }),
  });
  return true;
}

function refusePromotion(call: Call, chat: Chat, userId: number): void {
  const member = chat.members.get(userId);
  if (userId === call.bot.user.id) throw badRequest("can't promote self");
  if (member?.status === 'creator') throw badRequest("can't remove chat owner");
  if (!isIn(member)) throw badRequest('USER_NOT_PARTICIPANT');
  if (member?.status === 'administrator' && member.promotedBy !== call.bot.user.id) {
    throw badRequest('CHAT_ADMIN_REQUIRED');
  }
}

export function setChatAdministratorCustomTitle(call: Call): true {
  const chat = findGovernedChat(call, 'can_promote_members', 'not enough rights to change custom title of the user');
  if (chat.type !== 'supergroup') throw badRequest('method is available only for supergroups');
  const member = chat.members.get(findUser(call).id);
  if (member?.status === 'creator') {
    throw badRequest('only creator can edit their custom title');
  }
  if (member?.status !== 'administrator') throw badRequest('user is not an administrator');
  if (member.promotedBy !== call.bot.user.id) {
    throw badRequest('not enough rights to change custom title of the user');
  }
  const title = text(call.params, 'custom_title');
  if (title.length > 16) throw badRequest('custom title is too long');
  if (/\p{Extended_Pictographic}/u.test(title)) throw badRequest('ADMIN_RANK_EMOJI_NOT_ALLOWED');
  member.customTitle = title;
  call.sim.storage.saveChat(chat);
  return true;
}
