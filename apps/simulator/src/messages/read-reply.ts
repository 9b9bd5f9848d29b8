import { badRequest } from '../bot-api-error.ts';
import type { Chat, Message } from '../chats/chat.ts';
import { lookUp } from '../chats/find-chat.ts';
import { boolean, integer, jsonObject } from '../http/params.ts';
import type { Call } from '../methods/call.ts';
import type { MessageFields } from './post-message.ts';

/** The reply fields of a message: from `reply_parameters`, or from the older `reply_to_message_id`. */
export function readReply(call: Call, chat: Chat): MessageFields {
  const parameters = jsonObject(call.params, 'reply_parameters');
  const id = Number(parameters?.message_id ?? integer(call.params, 'reply_to_message_id', 0));
  if (!(id > 0)) return {};
  const optional =
    parameters?.allow_sending_without_reply === true || boolean(call.params, 'allow_sending_without_reply');
  const elsewhere = parameters?.chat_id === undefined ? '' : String(parameters.chat_id);
  const source = elsewhere === '' ? chat : lookUp(call.sim, call.bot.user.id, elsewhere);
  const message = source?.messages.get(id);
  if (message === undefined) {
    if (optional) return {};
    throw badRequest('message to be replied not found');
  }
  if (source !== chat) {
    return { external_reply: { origin: originOf(message), chat: message.chat, message_id: id } };
  }
  const quote = typeof parameters?.quote === 'string' ? { quote: { text: parameters.quote, position: 0 } } : {};
  return { reply_to_message: withoutReply(message), ...quote };
}

/** A message as it appears inside another one, without its own reply. */
export function withoutReply(message: Message): Message {
  const { reply_to_message: _, ...shown } = message;
  return shown as Message;
}

/** The origin of a forwarded message: its forward_origin, or a new one built from the message. */
export function originOf(message: Message): Record<string, unknown> {
  if (message.forward_origin !== undefined) return message.forward_origin as Record<string, unknown>;
  if (message.chat.type === 'channel') {
    return { type: 'channel', chat: message.chat, message_id: message.message_id, date: message.date };
  }
  if (message.sender_chat !== undefined) {
    return { type: 'chat', sender_chat: message.sender_chat, date: message.date };
  }
  return { type: 'user', sender_user: message.from, date: message.date };
}

/** The forward fields of the older Bot API, which older libraries still read. */
export function oldForwardFields(origin: Record<string, unknown>): MessageFields {
  const date = { forward_date: origin.date };
  if (origin.type === 'channel') {
    return { forward_from_chat: origin.chat, forward_from_message_id: origin.message_id, ...date };
  }
  if (origin.type === 'chat') return { forward_from_chat: origin.sender_chat, ...date };
  return origin.sender_user === undefined ? date : { forward_from: origin.sender_user, ...date };
}
