import { badRequest } from '../bot-api-error.ts';
import { type Chat, hasRight, type Message } from '../chats/chat.ts';
import { findOwnChat } from '../chats/find-chat.ts';
import { integer, json } from '../http/params.ts';
import { forgetMessage } from '../messages/keep-message.ts';
import type { Call } from './call.ts';

const TWO_DAYS_S = 172_800;

export function deleteMessage(call: Call): true {
  const chat = findOwnChat(call);
  const id = integer(call.params, 'message_id', 0);
  if (id <= 0) throw badRequest('message identifier is not specified');
  const message = chat.messages.get(id);
  if (message === undefined) throw badRequest('message to delete not found');
  if (!mayDelete(call, chat, message)) throw badRequest("message can't be deleted for everyone");
  forget(call, chat, id);
  return true;
}

/** Deletes the messages that exist and that the bot may delete; skips the others. */
export function deleteMessages(call: Call): true {
  const chat = findOwnChat(call);
  const ids = readMessageIds(call);
  for (const id of ids) {
    const message = chat.messages.get(id);
    if (message !== undefined && mayDelete(call, chat, message)) forget(call, chat, id);
  }
  return true;
}

/** `message_ids`, 1 to 100 of them. */
export function readMessageIds({ params }: Call): number[] {
  const ids = json(params, 'message_ids');
  if (!Array.isArray(ids)) throw badRequest("can't parse message identifiers JSON object");
  if (ids.length === 0) throw badRequest('message identifiers are not specified');
  if (ids.length > 100) throw badRequest('too many message identifiers specified');
  return ids.map(Number);
}

function mayDelete({ sim, bot }: Call, chat: Chat, message: Message): boolean {
  const member = chat.members.get(bot.user.id);
  if (hasRight(member, 'can_delete_messages')) return true;
  if (sim.clock.nowS() - message.date > TWO_DAYS_S) return false;
  return message.from?.id === bot.user.id || sim.postedBy.get(message) === bot.user.id || chat.person !== null;
}

function forget({ sim }: Call, chat: Chat, id: number): void {
  forgetMessage(sim, chat, id);
  if (!chat.pinned.includes(id)) return;
  chat.pinned = chat.pinned.filter((pinned) => pinned !== id);
  sim.storage.saveChat(chat);
}
