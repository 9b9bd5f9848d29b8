import { readMessageText } from '@flotilla/telegram/message-text.ts';
import { type Fields, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import type { FormattedText } from './formatted-text.ts';

/** A file as the source bot can fetch it. */
export type SourceFile = {
  file_id: string;
  /** null when the platform does not say. */
  size: number | null;
  name: string | null;
  mime: string | null;
  /** Its kind in words for people: `video`, `voice message`. */
  what: string;
};

/** The content of a message, in the terms of the method that sends it again. */
export type MessageContent =
  | { type: 'text'; text: FormattedText; params: Fields }
  | {
      type: 'media';
      method: string;
      /** The method's parameter for the file, and its type in an album. */
      field: string;
      file: SourceFile;
      params: Fields;
      /** null when the method takes no caption. */
      caption: FormattedText | null;
    }
  | { type: 'other'; method: string; params: Fields };

type MediaMethod = { method: string; field: string; what: string; carried: string[]; caption: boolean };

// Animations are looked for first: they also come with a document of the same file, for old clients.
const MEDIA: Record<string, MediaMethod> = {
  animation: media('sendAnimation', 'animation', 'animation', ['duration', 'width', 'height']),
  video: media('sendVideo', 'video', 'video', ['duration', 'width', 'height']),
  sticker: { ...media('sendSticker', 'sticker', 'sticker', ['emoji']), caption: false },
  voice: media('sendVoice', 'voice', 'voice message', ['duration']),
  audio: media('sendAudio', 'audio', 'audio', ['duration', 'performer', 'title']),
  document: media('sendDocument', 'document', 'document', []),
  video_note: { ...media('sendVideoNote', 'video_note', 'video message', ['duration', 'length']), caption: false },
};
const LIVE_PHOTO = media('sendVideo', 'video', 'live photo', ['duration', 'width', 'height']);
const PHOTO = media('sendPhoto', 'photo', 'photo', []);
const WITH_SPOILER = ['photo', 'video', 'animation'];

/** The content of a message; null when it has none, as when somebody joined. */
export function readContent(message: Fields): MessageContent | null {
  const guarded = message.has_protected_content === true ? { protect_content: true } : {};
  const content = readMediaContent(message) ?? readTextContent(message) ?? readOtherContent(message) ?? noteOf(message);
  return content && { ...content, params: { ...content.params, ...guarded } };
}

function media(method: string, field: string, what: string, carried: string[]): MediaMethod {
  return { method, field, what, carried, caption: true };
}

function readTextContent(message: Fields): MessageContent | null {
  const text = readText(message, 'text');
  if (text === null) return null;
  const preview = message.link_preview_options === undefined ? {} : pick(message, ['link_preview_options']);
  return { type: 'text', text: { text, entities: entitiesOf(message.entities) }, params: preview };
}

function readMediaContent(message: Fields): MessageContent | null {
  for (const [field, how] of Object.entries(MEDIA)) {
    const file = readObject(message, field);
    if (file !== null) return mediaContent(message, how, file);
  }
  const sizes = Array.isArray(message.photo) ? (message.photo as Fields[]) : [];
  const largest = sizes.toSorted((a, b) => areaOf(a) - areaOf(b)).at(-1);
  if (largest !== undefined) return mediaContent(message, PHOTO, largest);
  const live = readObject(message, 'live_photo');
  return live === null ? null : mediaContent(message, LIVE_PHOTO, live);
}

function mediaContent(message: Fields, how: MediaMethod, file: Fields): MessageContent {
  const spoiler = message.has_media_spoiler === true && WITH_SPOILER.includes(how.field) ? { has_spoiler: true } : {};
  const above = message.show_caption_above_media === true ? { show_caption_above_media: true } : {};
  const streaming = how.field === 'video' ? { supports_streaming: true } : {};
  return {
    type: 'media',
    method: how.method,
    field: how.field,
    file: {
      file_id: readText(file, 'file_id') ?? '',
      size: typeof file.file_size === 'number' ? file.file_size : null,
      name: readText(file, 'file_name'),
      mime: readText(file, 'mime_type'),
      what: how.what,
    },
    params: { ...pick(file, how.carried), ...spoiler, ...above, ...streaming },
    caption: how.caption
      ? { text: readText(message, 'caption') ?? '', entities: entitiesOf(message.caption_entities) }
      : null,
  };
}

function readOtherContent(message: Fields): MessageContent | null {
  const venue = readObject(message, 'venue');
  if (venue !== null) {
    const place = pick(venue, [
      'title',
      'address',
      'foursquare_id',
      'foursquare_type',
      'google_place_id',
      'google_place_type',
    ]);
    const point = pick(readObject(venue, 'location') ?? {}, ['latitude', 'longitude']);
    return { type: 'other', method: 'sendVenue', params: { ...point, ...place } };
  }
  // A live location moves by edits, which are not routed, so its present position is sent.
  const location = readObject(message, 'location');
  if (location !== null) {
    const params = pick(location, ['latitude', 'longitude', 'horizontal_accuracy']);
    return { type: 'other', method: 'sendLocation', params };
  }
  const contact = readObject(message, 'contact');
  if (contact !== null) {
    const params = pick(contact, ['phone_number', 'first_name', 'last_name', 'vcard']);
    return { type: 'other', method: 'sendContact', params };
  }
  const poll = readObject(message, 'poll');
  return poll === null ? null : { type: 'other', method: 'sendPoll', params: pollParams(poll) };
}

function pollParams(poll: Fields): Fields {
  const options = Array.isArray(poll.options) ? (poll.options as Fields[]) : [];
  // The platform may hide a quiz's answer until the quiz is over. Without it the quiz is sent as a regular poll.
  const isQuiz = poll.type === 'quiz' && typeof poll.correct_option_id === 'number';
  const quiz = isQuiz
    ? { type: 'quiz', ...pick(poll, ['correct_option_id', 'explanation', 'explanation_entities']) }
    : pick(poll, ['allows_multiple_answers']);
  return {
    ...pick(poll, ['question', 'question_entities', 'is_anonymous', 'is_closed']),
    options: options.map((option) => pick(option, ['text', 'text_entities'])),
    ...quiz,
  };
}

/** Describes content in words that no method can send again. */
function noteOf(message: Fields): MessageContent | null {
  const words = readNote(message);
  return words === null ? null : { type: 'text', text: { text: words, entities: [] }, params: {} };
}

function readNote(message: Fields): string | null {
  const dice = readObject(message, 'dice');
  // A die that a bot sends is thrown again, so only words can show this result.
  if (dice !== null) return `${readText(dice, 'emoji') ?? '🎲'} ${dice.value}`;
  const checklist = readObject(message, 'checklist');
  if (checklist !== null) return checklistText(checklist);
  const offered = readObject(message, 'game') ?? readObject(message, 'invoice');
  if (offered !== null) return [offered.title, offered.description].filter(Boolean).join('\n');
  if (message.paid_media !== undefined)
    return ['[paid media]', readText(message, 'caption')].filter(Boolean).join('\n');
  if (message.story !== undefined) return '[a story]';
  if (message.giveaway !== undefined) return '[a giveaway]';
  if (message.giveaway_winners !== undefined) return '[the winners of a giveaway]';
  return readMessageText(message);
}

function checklistText(checklist: Fields): string {
  const tasks = Array.isArray(checklist.tasks) ? (checklist.tasks as Fields[]) : [];
  const lines = tasks.map((task) => `${task.completion_date ? '☑' : '☐'} ${task.text ?? ''}`);
  return [checklist.title, ...lines].join('\n');
}

function entitiesOf(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}

function pick(object: Fields, names: string[]): Fields {
  return Object.fromEntries(names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])));
}

function areaOf(size: Fields): number {
  return (Number(size.width) || 0) * (Number(size.height) || 0);
}
