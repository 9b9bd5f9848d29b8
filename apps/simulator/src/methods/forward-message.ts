import { badRequest } from '../bot-api-error.ts';
import type { Chat, Message } from '../chats/chat.ts';
import { findOwnChat, findWritableChat } from '../chats/find-chat.ts';
import { refuseClosedTopic, threadOf, topicFields } from '../chats/topic.ts';
import { boolean, integer } from '../http/params.ts';
import { type MessageFields, postMessage } from '../messages/post-message.ts';
import { keepKeyboard, readMarkup } from '../messages/read-markup.ts';
import { oldForwardFields, originOf, readReply } from '../messages/read-reply.ts';
import { readCaption } from '../messages/read-text.ts';
import { isServiceMessage } from '../messages/service-message.ts';
import { newQueryId } from '../simulator.ts';
import type { Call } from './call.ts';
import { readMessageIds } from './delete-message.ts';

const OWN_FIELDS = [
  'message_id',
  'message_thread_id',
  'is_topic_message',
  'from',
  'sender_chat',
  'chat',
  'date',
  'edit_date',
  'reply_to_message',
  'quote',
];
const NOT_COPIED = [...OWN_FIELDS, 'external_reply', 'reply_markup', 'media_group_id', 'has_protected_content'];

export function forwardMessage(call: Call): Message {
  const { from, to } = readChats(call);
  const source = findSource(from, integer(call.params, 'message_id', 0), 'forward');
  return post(call, to, forwarded(source));
}

export function forwardMessages(call: Call): { message_id: number }[] {
  return copyEach(call, 'forward', forwarded);
}

export function copyMessage(call: Call): { message_id: number } {
  const { from, to } = readChats(call);
  const source = findSource(from, integer(call.params, 'message_id', 0), 'copy');
  const reply = readReply(call, to);
  const markup = readMarkup(call.params);
  const caption = call.params.values.has('caption') && source.text === undefined ? readCaption(call.params) : null;
  const content = caption === null ? copied(source) : { ...withoutCaption(copied(source)), ...caption };
  const message = post(call, to, { ...reply, ...content, ...(markup && { reply_markup: markup }) });
  keepKeyboard(call, to, message.message_id);
  return { message_id: message.message_id };
}

export function copyMessages(call: Call): { message_id: number }[] {
  const bare = boolean(call.params, 'remove_caption');
  return copyEach(call, 'copy', (source) => (bare ? withoutCaption(copied(source)) : copied(source)));
}

/** Copies or forwards several messages: skips those that do not exist, and keeps albums together. */
function copyEach(
  call: Call,
  verb: 'forward' | 'copy',
  content: (source: Message) => MessageFields,
): { message_id: number }[] {
  const { from, to } = readChats(call);
  const albums = new Map<unknown, string>();
  const sources = readMessageIds(call).flatMap((id) => from.messages.get(id) ?? []);
  if (sources.length === 0) throw badRequest(`there are no messages to ${verb}`);
  return sources.map((source) => {
    const group = source.media_group_id;
    if (group !== undefined && !albums.has(group)) albums.set(group, newQueryId(call.sim));
    const album = group === undefined ? {} : { media_group_id: albums.get(group) };
    return { message_id: post(call, to, { ...content(source), ...album }).message_id };
  });
}

function readChats(call: Call): { from: Chat; to: Chat } {
  const to = findWritableChat(call);
  return { from: findOwnChat(call, 'from_chat_id'), to };
}

function findSource(from: Chat, id: number, verb: 'forward' | 'copy'): Message {
  const message = from.messages.get(id);
  if (message === undefined) throw badRequest(`message to ${verb} not found`);
  const fixed = message.has_protected_content === true || isServiceMessage(message);
  if (fixed) throw badRequest(`message can't be ${verb === 'copy' ? 'copied' : 'forwarded'}`);
  return message;
}

function post(call: Call, to: Chat, content: MessageFields): Message {
  const threadId = threadOf(integer(call.params, 'message_thread_id', 0), content);
  refuseClosedTopic(to, threadId, call.bot.user.id);
  const guarded = boolean(call.params, 'protect_content') && { has_protected_content: true };
  return postMessage(call.sim, to, { user: call.bot.user }, { ...topicFields(to, threadId), ...content, ...guarded });
}

function forwarded(source: Message): MessageFields {
  const origin = originOf(source);
  return { forward_origin: origin, ...oldForwardFields(origin), ...copied(source) };
}

function copied(source: Message): MessageFields {
  const left = new Set(NOT_COPIED);
  const entries = Object.entries(source).filter(([key]) => !left.has(key) && !key.startsWith('forward_'));
  return Object.fromEntries(entries);
}

function withoutCaption(content: MessageFields): MessageFields {
  const { caption: _, caption_entities: __, ...rest } = content;
  return rest;
}
