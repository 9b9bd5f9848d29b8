import { isDeepStrictEqual } from 'node:util';
import { badRequest } from '../bot-api-error.ts';
import { type Chat, hasRight, type Message } from '../chats/chat.ts';
import { findOwnChat } from '../chats/find-chat.ts';
import { mediaOf } from '../files/show-media.ts';
import { integer, jsonObject, text } from '../http/params.ts';
import { type MessageFields, tellBots } from '../messages/post-message.ts';
import { readMarkup } from '../messages/read-markup.ts';
import { readCaption, readText } from '../messages/read-text.ts';
import type { Call } from './call.ts';
import { readRichMessage } from './rich-messages.ts';
import { type InputMedia, readInputMedia } from './send-media-group.ts';
import { readChecklist, readPoint } from './send-other.ts';

const MEDIA_FIELDS = ['photo', 'document', 'video', 'animation', 'audio', 'has_media_spoiler'];
const CAPTION_FIELDS = ['caption', 'caption_entities', 'show_caption_above_media'];

export function editMessageText(call: Call): Promise<unknown> {
  const isRich = text(call.params, 'rich_message') !== '';
  return edit(call, ['text', 'entities', 'rich_message'], (message) => {
    const said = isRich ? { rich_message: readRichMessage(call) } : readText(call.params);
    if (message.text === undefined && message.rich_message === undefined)
      throw badRequest('there is no text in the message to edit');
    return said;
  });
}

export function editMessageCaption(call: Call): Promise<unknown> {
  return edit(call, CAPTION_FIELDS, (message) => {
    if (mediaOf(message) === null) throw badRequest('there is no caption in the message to edit');
    return readCaption(call.params);
  });
}

export function editMessageMedia(call: Call): Promise<unknown> {
  return edit(call, ['text', 'entities', ...MEDIA_FIELDS, ...CAPTION_FIELDS], () => {
    const media = jsonObject(call.params, 'media');
    if (media === undefined) throw badRequest("can't parse input media JSON object");
    return readInputMedia(call, media as InputMedia);
  });
}

export function editMessageReplyMarkup(call: Call): Promise<unknown> {
  return edit(call, [], () => ({}));
}

export function editMessageChecklist(call: Call): Promise<unknown> {
  return edit(call, ['checklist'], () => ({ checklist: readChecklist(call.params) }));
}

export function editMessageLiveLocation(call: Call): Promise<unknown> {
  return edit(call, ['location'], ({ location }) => {
    if ((location as { live_period?: number } | undefined)?.live_period === undefined) {
      throw badRequest('there is no live location in the message to edit');
    }
    return { location: { ...(location as object), ...readPoint(call.params) } };
  });
}

export function stopMessageLiveLocation(call: Call): Promise<unknown> {
  return edit(call, ['location'], ({ location }) => {
    const { live_period, ...place } = (location ?? {}) as Record<string, unknown>;
    if (live_period === undefined) throw badRequest('there is no live location in the message to edit');
    return { location: place };
  });
}

/** Replaces `fields` of a message with the result of `content`, and its inline keyboard with the given one or none. */
export async function edit(
  call: Call,
  fields: string[],
  content: (message: Record<string, unknown>) => MessageFields | Promise<MessageFields>,
): Promise<unknown> {
  if (text(call.params, 'inline_message_id') !== '') return editInline(call, fields, content);
  const chat = findOwnChat(call);
  const message = findEditable(call, chat);
  const markup = readMarkup(call.params);
  const changed = await content(message);
  replace(message, fields, changed, markup);
  message.edit_date = call.sim.clock.nowS();
  call.sim.storage.saveMessage(chat, message);
  tellBots(call.sim, chat, call.bot.user, message, chat.type === 'channel' ? 'edited_channel_post' : 'edited_message');
  return message;
}

async function editInline(
  call: Call,
  fields: string[],
  content: (message: Record<string, unknown>) => MessageFields | Promise<MessageFields>,
): Promise<true> {
  const { sim, bot, params } = call;
  const inline = sim.inlineMessages.get(text(params, 'inline_message_id'));
  const chat = inline?.botId === bot.user.id ? sim.chats.get(inline.chatKey) : undefined;
  const message = chat?.messages.get(inline!.messageId);
  if (chat === undefined || message === undefined) throw badRequest('MESSAGE_ID_INVALID');
  replace(message, fields, await content(message), readMarkup(params));
  sim.storage.saveMessage(chat, message);
  return true;
}

function findEditable(call: Call, chat: Chat): Message {
  const id = integer(call.params, 'message_id', 0);
  if (id <= 0) throw badRequest('message identifier is not specified');
  const message = chat.messages.get(id);
  if (message === undefined) throw badRequest('message to edit not found');
  const botId = call.bot.user.id;
  const own = message.from?.id === botId || call.sim.postedBy.get(message) === botId;
  const mayEdit = chat.type === 'channel' && hasRight(chat.members.get(botId), 'can_edit_messages');
  if ((!own && !mayEdit) || message.forward_origin !== undefined) throw badRequest("message can't be edited");
  return message;
}

function replace(
  message: Record<string, unknown>,
  fields: string[],
  changed: MessageFields,
  markup: Record<string, unknown> | undefined,
): void {
  const same =
    fields.every((field) => isDeepStrictEqual(message[field], changed[field])) &&
    isDeepStrictEqual(message.reply_markup, markup);
  if (same) {
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    );
  }
  for (const field of fields) delete message[field];
  delete message.reply_markup;
  Object.assign(message, changed, markup && { reply_markup: markup });
}
