import type { ControlClient } from '@flotilla/simulator/control-client.ts';
import { readMessageMedia } from '@flotilla/telegram/message-media.ts';
import { readMessageService } from '@flotilla/telegram/message-service.ts';
import { readMessageText } from '@flotilla/telegram/message-text.ts';
import { eventOf } from '../demo-bot/event-of.ts';

type ReadChat = Awaited<ReturnType<ControlClient['readChat']>>;
type Shown = ReadChat['messages'][number];
type Named = { id: number; first_name?: string; last_name?: string; title?: string; is_bot?: boolean };
type Button = { text: string } & Record<string, unknown>;

/** A message as the page draws it: everything in it is text. */
export function showMessage(message: Shown, chat: ReadChat, person: number) {
  const { from, sender_chat, reply_to_message, quote, edit_date, media_group_id, poll } = message as {
    from?: Named;
    sender_chat?: Named;
    reply_to_message?: Shown & { from?: Named };
    quote?: { text: string };
    edit_date?: number;
    media_group_id?: string;
    poll?: Poll;
  };
  const by = sender_chat ?? from;
  const text = readMessageText(message);
  // A message of a topic carries the message that made the topic, also if it replies to nothing.
  const answered = reply_to_message?.forum_topic_created === undefined ? reply_to_message : undefined;
  return {
    ...{ id: message.message_id, date: message.date, mine: from?.id === person, edited: edit_date !== undefined },
    by: by === undefined ? null : { id: by.id, name: nameOf(by), isBot: by.is_bot === true },
    text,
    entities: message.entities ?? message.caption_entities ?? [],
    service: serviceOf(message),
    note: noteOf(message, text),
    media: mediaOf(message),
    album: media_group_id ?? null,
    reply: answered === undefined ? null : { by: nameOf(answered.from), ...lineOf(answered, quote) },
    forwardedFrom: forwardedFrom(message),
    rows: rowsOf(message),
    poll: poll === undefined ? null : showPoll(poll),
    reactions: reactionsTo(message, chat, person),
  };
}

/** One line that stands for a message: in the list of chats, and above a reply to it. */
export function lineOf(message: Shown, quote?: { text: string }) {
  const text = (quote?.text ?? readMessageText(message) ?? '').slice(0, 200);
  const { from } = message as { from?: Named };
  return {
    ...{ id: message.message_id, date: message.date, author: eventOf(message) === null ? nameOf(from) : '', text },
    service: serviceOf(message),
    kind: mediaOf(message)?.kind ?? (message.poll === undefined ? noteOf(message, text) : 'poll'),
  };
}

function nameOf(who: Named | undefined): string {
  return [who?.first_name, who?.last_name].filter(Boolean).join(' ') || (who?.title ?? '');
}

/** The event of the chat; `names` says to whom, or which name it has now. */
function serviceOf(message: Shown) {
  const event = eventOf(message);
  if (event === null) return null;
  const { from, new_chat_members, left_chat_member, new_chat_title, forum_topic_created, forum_topic_edited } =
    message as {
      from?: Named;
      new_chat_members?: Named[];
      left_chat_member?: Named;
      new_chat_title?: string;
      forum_topic_created?: { name: string };
      forum_topic_edited?: { name?: string };
    };
  const whom = new_chat_members ?? (left_chat_member === undefined ? [] : [left_chat_member]);
  const title = new_chat_title ?? forum_topic_created?.name ?? forum_topic_edited?.name;
  return {
    ...{ kind: event.service, label: event.label, by: nameOf(from), isOwn: whom.some(({ id }) => id === from?.id) },
    names: title === undefined ? whom.map(nameOf) : [title],
  };
}

/** The content of a message that is neither text nor a file: a place, a contact, dice. */
function noteOf(message: Shown, text: string | null): string | null {
  if (eventOf(message) !== null || message.poll !== undefined || mediaOf(message) !== null) return null;
  return readMessageService(message, text)?.label ?? null;
}

function mediaOf(message: Shown) {
  const { file } = message;
  const media = readMessageMedia(message);
  if (file === undefined || media === null) return null;
  const { photo, video, animation, sticker } = message as Record<string, Sized> & { photo?: Sized[] };
  const { width = 0, height = 0, emoji = '' } = photo?.at(-1) ?? animation ?? video ?? sticker ?? {};
  const { fileId, name, size, mime } = file;
  return {
    kind: media.media_type,
    fileId,
    name,
    size,
    mime,
    width,
    height,
    emoji,
    isCovered: message.has_media_spoiler === true,
  };
}
type Sized = { width?: number; height?: number; emoji?: string };

function forwardedFrom(message: Shown): string | null {
  const origin = message.forward_origin as
    | { sender_user?: Named; sender_user_name?: string; chat?: Named; sender_chat?: Named }
    | undefined;
  if (origin === undefined) return null;
  return nameOf(origin.sender_user ?? origin.chat ?? origin.sender_chat) || (origin.sender_user_name ?? '');
}

/** Widgets do not run here: a button taps them. */
const TAP = { text: '', does: 'tap', value: '' };

/** Buttons by row. Those that need a part of the platform that is not simulated do nothing. */
function rowsOf(message: Shown) {
  const { inline_keyboard } = (message.reply_markup ?? {}) as { inline_keyboard?: Button[][] };
  const invoice = message.invoice as { total_amount: number; currency: string } | undefined;
  // The platform gives an invoice its button if the bot does not.
  const pays = invoice === undefined ? [] : [[{ text: `${invoice.total_amount} ${invoice.currency}`, pay: true }]];
  const rows = (inline_keyboard ?? pays).map((row) => row.map(buttonOf));
  return message.widget === undefined ? rows : [[TAP], ...rows];
}

function buttonOf({ text, callback_data, url, copy_text, pay }: Button) {
  const copied = (copy_text as { text?: string } | undefined)?.text;
  if (callback_data !== undefined) return { text, does: 'press', value: callback_data };
  if (copied !== undefined) return { text, does: 'copy', value: copied };
  if (pay === true) return { text, does: 'pay', value: '' };
  return typeof url === 'string' ? { text, does: 'open', value: url } : { text, does: 'nothing', value: '' };
}

type Poll = {
  id: string;
  question: string;
  options: { text: string; voter_count: number }[];
  total_voter_count: number;
  is_closed: boolean;
};

function showPoll({ id, question, options, total_voter_count: total, is_closed: isClosed }: Poll) {
  return { id, question, total, isClosed, options: options.map((one) => ({ text: one.text, votes: one.voter_count })) };
}

function reactionsTo({ message_id: id }: Shown, { reactions }: ReadChat, person: number) {
  const counts = new Map<string, { emoji: string; count: number; mine: boolean }>();
  for (const { messageId, by, emoji } of reactions) {
    if (messageId !== id) continue;
    for (const one of emoji) {
      const { count, mine } = counts.get(one) ?? { count: 0, mine: false };
      counts.set(one, { emoji: one, count: count + 1, mine: mine || by === person });
    }
  }
  return [...counts.values()];
}
