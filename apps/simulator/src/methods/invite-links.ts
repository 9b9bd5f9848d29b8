import { randomBytes } from 'node:crypto';
import { badRequest } from '../bot-api-error.ts';
import { changeMember } from '../chats/change-member.ts';
import type { Chat, InviteLink, JoinRequest } from '../chats/chat.ts';
import { findGovernedChat, knownUser } from '../chats/chat-admin.ts';
import { boolean, integer, platformId, text } from '../http/params.ts';
import type { Simulator } from '../simulator.ts';
import type { Call, Method } from './call.ts';

/** Methods of invite links, and of requests to join. */
export const INVITE_LINKS: Record<string, Method> = {
  exportChatInviteLink,
  createChatInviteLink,
  createChatSubscriptionInviteLink,
  editChatInviteLink,
  revokeChatInviteLink,
  approveChatJoinRequest,
  declineChatJoinRequest,
  answerChatJoinRequestQuery,
  editChatSubscriptionInviteLink: editChatInviteLink,
};

const NO_RIGHTS = 'not enough rights to manage chat invite link';

function exportChatInviteLink(call: Call): string {
  const chat = findGovernedChat(call, 'can_invite_users', NO_RIGHTS);
  for (const link of chat.inviteLinks) if (link.is_primary && isOfBot(call, link)) link.is_revoked = true;
  return addLink(call, chat, { is_primary: true }).invite_link;
}

function createChatInviteLink(call: Call): InviteLink {
  return addLink(call, findGovernedChat(call, 'can_invite_users', NO_RIGHTS), readLink(call));
}

function createChatSubscriptionInviteLink(call: Call): InviteLink {
  const chat = findGovernedChat(call, 'can_invite_users', NO_RIGHTS);
  const [period, price] = ['subscription_period', 'subscription_price'].map((name) => integer(call.params, name, 0));
  return addLink(call, chat, { ...readLink(call), subscription_period: period, subscription_price: price });
}

function editChatInviteLink(call: Call): InviteLink {
  const { chat, link } = findLink(call);
  for (const field of ['name', 'expire_date', 'member_limit']) delete link[field];
  Object.assign(link, readLink(call));
  call.sim.storage.saveChat(chat);
  return link;
}

function revokeChatInviteLink(call: Call): InviteLink {
  const { chat, link } = findLink(call);
  link.is_revoked = true;
  call.sim.storage.saveChat(chat);
  // At the platform too, a bot always has a primary link.
  if (link.is_primary) addLink(call, chat, { is_primary: true });
  return link;
}

function approveChatJoinRequest(call: Call): true {
  const { chat, request } = takeRequest(call);
  return admit(call.sim, chat, call.bot.user, request);
}

function declineChatJoinRequest(call: Call): true {
  takeRequest(call);
  return true;
}

/** Answers the query of a request by its id alone; `queue` leaves the request to the chat-admins. */
function answerChatJoinRequestQuery({ sim, bot, params }: Call): true {
  const id = text(params, 'chat_join_request_query_id');
  for (const chat of sim.chats.values()) {
    const request = chat.joinRequests.find(({ queryId }) => queryId === id && id !== '');
    if (request === undefined) continue;
    if (text(params, 'result') === 'queue') return true;
    forget(sim, chat, request);
    return text(params, 'result') === 'approve' ? admit(sim, chat, bot.user, request) : true;
  }
  throw badRequest('query is too old and response timeout expired or query ID is invalid');
}

function admit(sim: Simulator, chat: Chat, actor: Parameters<typeof changeMember>[2], { userId }: JoinRequest): true {
  changeMember(sim, chat, actor, knownUser(sim, userId)!, { status: 'member' });
  return true;
}

function takeRequest(call: Call): { chat: Chat; request: JoinRequest } {
  const chat = findGovernedChat(call, 'can_invite_users', 'not enough rights');
  const userId = platformId(call.params, 'user_id');
  const request = chat.joinRequests.find((one) => one.userId === userId);
  if (request === undefined) throw badRequest('HIDE_REQUESTER_MISSING');
  forget(call.sim, chat, request);
  return { chat, request };
}

function forget(sim: Simulator, chat: Chat, request: JoinRequest): void {
  chat.joinRequests = chat.joinRequests.filter((one) => one !== request);
  for (const link of chat.inviteLinks) {
    if (link.invite_link === request.link) link.pending_join_request_count = pendingOf(chat, link.invite_link);
  }
  sim.storage.saveChat(chat);
}

function pendingOf(chat: Chat, link: string): number {
  return chat.joinRequests.filter((request) => request.link === link).length;
}

function readLink({ params }: Call): Record<string, unknown> {
  const [name, expires, limit] = [
    text(params, 'name'),
    integer(params, 'expire_date', 0),
    integer(params, 'member_limit', 0),
  ];
  const asks = boolean(params, 'creates_join_request');
  if (asks && limit > 0) throw badRequest("member limit can't be specified for links requiring administrator approval");
  return {
    creates_join_request: asks,
    ...(name && { name }),
    ...(expires > 0 && { expire_date: expires }),
    ...(limit > 0 && { member_limit: limit }),
  };
}

function addLink({ sim, bot }: Call, chat: Chat, fields: Record<string, unknown>): InviteLink {
  const link: InviteLink = {
    invite_link: `https://t.me/+${randomBytes(12).toString('base64url')}`,
    creator: bot.user,
    creates_join_request: false,
    is_primary: false,
    is_revoked: false,
    ...fields,
  };
  chat.inviteLinks.push(link);
  sim.storage.saveChat(chat);
  return link;
}

function findLink(call: Call): { chat: Chat; link: InviteLink } {
  const chat = findGovernedChat(call, 'can_invite_users', NO_RIGHTS);
  const wanted = text(call.params, 'invite_link');
  const link = chat.inviteLinks.find((one) => one.invite_link === wanted && isOfBot(call, one));
  if (link === undefined) throw badRequest('INVITE_HASH_EXPIRED');
  return { chat, link };
}

function isOfBot({ bot }: Call, { creator }: InviteLink): boolean {
  return creator.id === bot.user.id;
}
