import { topicOf } from './message-topic.ts';
import { type Fields, isFields, readInteger, readObject, readText } from './platform-fields.ts';
import { readKeyboard } from './reply-keyboard.ts';

/** Part of a text with a meaning or a look of its own. It has the platform's fields. */
export type MessageEntity = { type: string; offset: number; length: number } & Fields;

/** A button of an inline keyboard, with the platform's fields. */
export type MessageButton = { text: string } & Fields;

export interface ForwardOrigin {
  /** user, hidden_user, chat or channel. */
  type: string;
  /** The name of who wrote it first. */
  name?: string;
  /** The user or chat who wrote it first. */
  id?: number;
  /** Of a channel: the id of the message there. */
  message_id?: number;
  /** Unix seconds. */
  date?: number;
}

/** A poll as it was when it was sent, or as the bot was told since. */
export interface PollDetails {
  /** The platform's id of the poll, by which it tells of votes. */
  id: string;
  question: string;
  /** regular or quiz. */
  type: string;
  is_closed: boolean;
  is_anonymous: boolean;
  allows_multiple_answers: boolean;
  total_voter_count: number;
  options: { text: string; voter_count: number }[];
}

/** The details that few messages have. Fields without a value are left out. */
export interface MessageDetails {
  entities?: MessageEntity[];
  buttons?: MessageButton[][];
  /** The labels of the reply keyboard that was sent with it. */
  keyboard?: string[][];
  /** The topic. */
  thread_id?: number;
  media_group_id?: string;
  forward_origin?: ForwardOrigin;
  file_name?: string;
  mime_type?: string;
  /** In bytes. */
  file_size?: number;
  width?: number;
  height?: number;
  /** In seconds. */
  duration?: number;
  /** A small picture of a video, an animation or a document. */
  thumbnail_file_id?: string;
  /** Of a sticker. */
  emoji?: string;
  /** Of music. */
  performer?: string;
  title?: string;
  /** The words of the answered message that this one quotes. */
  quote?: string;
  /** In the direct messages of a channel: the topic, one for each person. */
  direct_messages_topic_id?: number;
  poll?: PollDetails;
}

/** The JSON of entities and buttons together is no longer, in characters. What is beyond is left out. */
const MARKUP_CHARACTERS = 16_384;
/** Entities keep at least the rest. */
const BUTTONS_CHARACTERS = 12_288;
const VALUE_CHARACTERS = 4_096;

// Most messages have none of them and no file; their details cost nothing more.
const DETAIL_FIELDS = [
  'entities',
  'caption_entities',
  'reply_markup',
  'media_group_id',
  'forward_origin',
  'poll',
  'quote',
  'direct_messages_topic',
];

/** The details of a Message whose medium has this file; null if it has none. */
export function readMessageDetails(message: Fields, file: Fields | null): MessageDetails | null {
  const topic = topicOf(message);
  if (file === null && topic === null && !DETAIL_FIELDS.some((field) => message[field] !== undefined)) return null;
  const details = {
    ...readMarkup(message.entities ?? message.caption_entities, message.reply_markup),
    ...withValues({
      thread_id: topic,
      media_group_id: readText(message, 'media_group_id'),
      forward_origin: readForwardOrigin(readObject(message, 'forward_origin')),
      poll: readPoll(readObject(message, 'poll')),
      direct_messages_topic_id: readInteger(readObject(message, 'direct_messages_topic') ?? {}, 'topic_id'),
      quote: bounded(readText(readObject(message, 'quote') ?? {}, 'text')),
    }),
    ...(file === null ? {} : readFileDetails(file)),
  };
  return orNull(details);
}

/** The entities and the keyboard of a message, within their bounds. Anything malformed is left out. */
export function readMarkup(
  entities: unknown,
  replyMarkup: unknown,
): Pick<MessageDetails, 'entities' | 'buttons' | 'keyboard'> {
  const buttons = readButtons(replyMarkup);
  const room = MARKUP_CHARACTERS - (buttons === null ? 0 : JSON.stringify(buttons).length);
  return withValues({ entities: readEntities(entities, room), buttons, keyboard: readKeyboard(replyMarkup) });
}

/** The details, or null if there are none. */
export function orNull(details: MessageDetails): MessageDetails | null {
  return Object.keys(details).length === 0 ? null : details;
}

function readEntities(value: unknown, room: number): MessageEntity[] | null {
  if (!Array.isArray(value)) return null;
  const entities = value.filter(isFields).map((entity) => plainFields(entity, 1));
  const within = firstWithin(entities.filter(isEntity), room);
  return within.length === 0 ? null : within;
}

function isEntity(entity: Fields): entity is MessageEntity {
  return typeof entity.type === 'string' && isPlace(entity.offset) && isPlace(entity.length);
}

function isPlace(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function readButtons(replyMarkup: unknown): MessageButton[][] | null {
  const rows = isFields(replyMarkup) ? replyMarkup.inline_keyboard : undefined;
  if (!Array.isArray(rows)) return null;
  const read = rows.map((row) => (Array.isArray(row) ? row.filter(isFields).map(plainButton).filter(isButton) : []));
  const within = firstWithin(
    read.filter((row) => row.length > 0),
    BUTTONS_CHARACTERS,
  );
  return within.length === 0 ? null : within;
}

const plainButton = (button: Fields) => plainFields(button, 1);

function isButton(button: Fields): button is MessageButton {
  return typeof button.text === 'string';
}

/** The scalars of an object, and of the objects in it down to a depth. Lists, rounded numbers and huge texts are left out. */
function plainFields(object: Fields, depth: number): Fields {
  const plain: Fields = {};
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'boolean') plain[name] = value;
    else if (typeof value === 'string' && value.length <= VALUE_CHARACTERS) plain[name] = readText(object, name);
    else if (typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value)))
      plain[name] = value;
    else if (depth > 0 && isFields(value)) plain[name] = plainFields(value, depth - 1);
  }
  return plain;
}

/** The first items whose JSON fits. */
function firstWithin<Item>(items: Item[], characters: number): Item[] {
  let left = characters - 2;
  const end = items.findIndex((item) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0;
  });
  return end < 0 ? items : items.slice(0, end);
}

function readForwardOrigin(origin: Fields | null): ForwardOrigin | null {
  if (origin === null) return null;
  const type = readText(origin, 'type');
  if (type === null) return null;
  const from = readObject(origin, 'sender_user') ?? readObject(origin, 'sender_chat') ?? readObject(origin, 'chat');
  return {
    type,
    ...withValues({
      name: readText(origin, 'sender_user_name') ?? (from === null ? null : nameOf(from)),
      id: from === null ? null : readInteger(from, 'id'),
      message_id: readInteger(origin, 'message_id'),
      date: readInteger(origin, 'date'),
    }),
  };
}

function nameOf(from: Fields): string | null {
  const person = [readText(from, 'first_name'), readText(from, 'last_name')].filter(Boolean).join(' ');
  return readText(from, 'title') ?? (person || readText(from, 'username'));
}

/** The platform allows 12 options of 100 characters. */
const MOST_OPTIONS = 20;

/** A Poll of the Bot API; null for none, and for one without an id or a question. */
export function readPoll(poll: Fields | null): PollDetails | null {
  if (poll === null) return null;
  const [id, question] = [readText(poll, 'id'), readText(poll, 'question')];
  if (id === null || question === null || question.length > VALUE_CHARACTERS) return null;
  const options = Array.isArray(poll.options) ? poll.options.filter(isFields).slice(0, MOST_OPTIONS) : [];
  return {
    ...{ id, question, type: readText(poll, 'type') ?? 'regular' },
    is_closed: poll.is_closed === true,
    is_anonymous: poll.is_anonymous !== false,
    allows_multiple_answers: poll.allows_multiple_answers === true,
    total_voter_count: readInteger(poll, 'total_voter_count') ?? 0,
    options: options.map((option) => ({
      text: (readText(option, 'text') ?? '').slice(0, VALUE_CHARACTERS),
      voter_count: readInteger(option, 'voter_count') ?? 0,
    })),
  };
}

/** The platform does not name the type of a sticker. */
function typeOf(file: Fields): string | null {
  if (file.is_video === true) return 'video/webm';
  return file.is_animated === true ? 'application/x-tgsticker' : readText(file, 'mime_type');
}

function readFileDetails(file: Fields): Partial<MessageDetails> {
  return withValues({
    file_name: readText(file, 'file_name'),
    mime_type: typeOf(file),
    file_size: readInteger(file, 'file_size'),
    // A round video has one length, its diameter.
    width: readInteger(file, 'width') ?? readInteger(file, 'length'),
    height: readInteger(file, 'height') ?? readInteger(file, 'length'),
    duration: readInteger(file, 'duration'),
    thumbnail_file_id: readText(readObject(file, 'thumbnail') ?? {}, 'file_id'),
    emoji: readText(file, 'emoji'),
    performer: bounded(readText(file, 'performer')),
    title: bounded(readText(file, 'title')),
  });
}

/** Of a sender who does not keep to the platform's bounds. */
function bounded(text: string | null): string | null {
  return text === null ? null : text.slice(0, VALUE_CHARACTERS).toWellFormed();
}

function withValues<Values extends object>(fields: Values): { [Name in keyof Values]?: NonNullable<Values[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [Name in keyof Values]?: NonNullable<Values[Name]>;
  };
}
