import { badRequest } from '../bot-api-error.ts';
import { changeMember } from '../chats/change-member.ts';
import { type Chat, hasRight, isAdmin, type Message } from '../chats/chat.ts';
import { findGovernedChat } from '../chats/chat-admin.ts';
import { findOwnChat } from '../chats/find-chat.ts';
import { integer, platformId, text } from '../http/params.ts';
import { postMessage } from '../messages/post-message.ts';
import { withoutReply } from '../messages/read-reply.ts';
import type { Call } from './call.ts';

export function setChatTitle(call: Call): true {
  const chat = findGovernedChat(call, 'can_change_info', 'not enough rights to change chat title');
  const title = text(call.params, 'title').trim();
  if (title === '') throw badRequest("title can't be empty");
  if (title === chat.title) throw badRequest('chat title is not modified');
  chat.title = title.slice(0, 128);
  call.sim.storage.saveChat(chat);
  postMessage(call.sim, chat, { user: call.bot.user }, { new_chat_title: chat.title });
  return true;
}

export function setChatDescription(call: Call): true {
  const chat = findGovernedChat(call, 'can_change_info', 'not enough rights to set chat description');
  const description = text(call.params, 'description').trim().slice(0, 255);
  if (description === chat.description) throw badRequest('chat description is not modified');
  chat.description = description;
  call.sim.storage.saveChat(chat);
  return true;
}

export function pinChatMessage(call: Call): true {
  const chat = findPinnable(call);
  const message = findMessage(chat, integer(call.params, 'message_id', 0), 'message to pin not found');
  chat.pinned = [...chat.pinned.filter((id) => id !== message.message_id), message.message_id];
  call.sim.storage.saveChat(chat);
  postMessage(call.sim, chat, { user: call.bot.user }, { pinned_message: withoutReply(message) });
  return true;
}

/** Unpins the given message, or the latest pinned one when message_id is absent. */
export function unpinChatMessage(call: Call): true {
  const chat = findPinnable(call);
  const wanted = integer(call.params, 'message_id', 0) || chat.pinned.at(-1);
  if (wanted === undefined) return true;
  findMessage(chat, wanted, 'message to unpin not found');
  chat.pinned = chat.pinned.filter((id) => id !== wanted);
  call.sim.storage.saveChat(chat);
  return true;
}

export function unpinAllChatMessages(call: Call): true {
  const chat = findPinnable(call);
  chat.pinned = [];
  call.sim.storage.saveChat(chat);
  return true;
}

export function leaveChat(call: Call): true {
  const chat = findOwnChat(call);
  if (chat.person !== null) throw badRequest("can't leave a private chat: chat member status can't be changed");
  changeMember(call.sim, chat, call.bot.user, call.bot.user, { status: 'left', rights: {} });
  return true;
}

export function setMessageReaction(call: Call): true {
  const chat = findOwnChat(call);
  const message = findMessage(chat, integer(call.params, 'message_id', 0), 'message to react not found');
  const reactions = readReactions(text(call.params, 'reaction'));
  const ofMessage = chat.reactions.get(message.message_id) ?? new Map<number, unknown[]>();
  ofMessage.set(call.bot.user.id, reactions);
  chat.reactions.set(message.message_id, ofMessage);
  call.sim.storage.saveChat(chat);
  return true;
}

function readReactions(raw: string): unknown[] {
  if (raw === '') return [];
  let reactions: unknown;
  try {
    reactions = JSON.parse(raw);
  } catch {
    throw badRequest("can't parse reaction types JSON object");
  }
  if (!Array.isArray(reactions)) throw badRequest('expected an Array of ReactionType');
  if (reactions.length > 1) throw badRequest('REACTIONS_TOO_MANY');
  if (reactions.some((reaction: { type?: unknown } | null) => typeof reaction?.type !== 'string')) {
    throw badRequest('REACTION_INVALID');
  }
  return reactions;
}

export function deleteMessageReaction(call: Call): true {
  const chat = findModerated(call);
  return forgetReactions(call, chat, [integer(call.params, 'message_id', 0)]);
}

export function deleteAllMessageReactions(call: Call): true {
  const chat = findModerated(call);
  return forgetReactions(call, chat, [...chat.reactions.keys()]);
}

function forgetReactions({ sim, params }: Call, chat: Chat, messageIds: number[]): true {
  const author = platformId(params, 'user_id') || integer(params, 'actor_chat_id', 0);
  for (const id of messageIds) chat.reactions.get(id)?.delete(author);
  sim.storage.saveChat(chat);
  return true;
}

function findModerated(call: Call): Chat {
  const chat = findOwnChat(call);
  if (!isAdmin(chat.members.get(call.bot.user.id))) throw badRequest('not enough rights to delete reactions');
  return chat;
}

function findPinnable(call: Call): Chat {
  const chat = findOwnChat(call);
  if (chat.person !== null) return chat;
  const member = chat.members.get(call.bot.user.id);
  const right = chat.type === 'channel' ? 'can_edit_messages' : 'can_pin_messages';
  if (!hasRight(member, right)) throw badRequest('not enough rights to manage pinned messages in the chat');
  return chat;
}

function findMessage(chat: Chat, id: number, refusal: string): Message {
  const message = chat.messages.get(id);
  if (message === undefined) throw badRequest(refusal);
  return message;
}
