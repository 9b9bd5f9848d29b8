import { type Fields, isFields, readObject, readText } from './platform-fields.ts';

export type MediaType = 'photo' | 'video' | 'animation' | 'sticker' | 'voice' | 'audio' | 'document' | 'video_note';

export interface MessageMedia {
  media_type: MediaType;
  file_id: string | null;
  /** The platform's object of the file: a PhotoSize, a Document, …. */
  file: Fields;
}

// An animation also has a document of the same file, for old clients, so it is looked for first.
const FILE_FIELDS = ['animation', 'video', 'sticker', 'voice', 'audio', 'document', 'video_note'] as const;

/** The medium of a message, with the largest size of a photo. Null for text, service and other messages. */
export function readMessageMedia(message: Fields): MessageMedia | null {
  for (const field of FILE_FIELDS) {
    const file = readObject(message, field);
    if (file !== null) return { media_type: field, file_id: readText(file, 'file_id'), file };
  }
  const live = readObject(message, 'live_photo');
  const photo = largestPhoto(message.photo) ?? (live === null ? null : (largestPhoto(live.photo) ?? live));
  if (photo !== null) return { media_type: 'photo', file_id: readText(photo, 'file_id'), file: photo };
  return readPaidMedia(message);
}

// Only media that the bot may see in full have a file. A preview has none.
function readPaidMedia(message: Fields): MessageMedia | null {
  const items = readObject(message, 'paid_media')?.paid_media;
  for (const item of Array.isArray(items) ? items.filter(isFields) : []) {
    const media = readMessageMedia({ photo: item.photo, video: item.video, live_photo: item.live_photo });
    if (media !== null) return media;
  }
  return null;
}

function largestPhoto(sizes: unknown): Fields | null {
  if (!Array.isArray(sizes)) return null;
  return sizes.filter(isFields).reduce<Fields | null>((largest, size) => {
    return largest === null || area(size) >= area(largest) ? size : largest;
  }, null);
}

function area(size: Fields): number {
  return (Number(size.width) || 0) * (Number(size.height) || 0);
}
