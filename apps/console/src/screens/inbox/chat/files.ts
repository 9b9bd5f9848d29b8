import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import type { CSSProperties } from 'react';

/** How a file of a message is shown. */
export type Look = 'picture' | 'sticker' | 'moving' | 'video' | 'loop' | 'round' | 'sound' | 'file';

/** How a sticker of Lottie's JSON, packed by gzip, is named. */
export const TGS = 'application/x-tgsticker';
export const REDUCED_MOTION = '(prefers-reduced-motion: reduce)';
/** The platform gives bots no larger files. */
const LARGEST_BYTES = 20 * 1024 * 1024;
const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'];
const VIDEOS = ['video/mp4', 'video/webm'];
const SOUNDS = [
  'audio/mpeg',
  'audio/ogg',
  'audio/mp4',
  'audio/x-m4a',
  'audio/wav',
  'audio/x-wav',
  'audio/flac',
  'audio/aac',
];

export function isTooLarge({ file_size: size = 0 }: Message): boolean {
  return size > LARGEST_BYTES;
}

export function lookOf(message: Message): Look {
  const { media_type: type, mime_type: mime = '', emoji, thumbnail_file_id: poster } = message;
  if (isTooLarge(message)) return 'file';
  switch (type) {
    case 'photo':
      return 'picture';
    case 'sticker':
      if (mime === '' || PICTURES.includes(mime)) return 'sticker';
      if (mime === TGS || VIDEOS.includes(mime)) return 'moving';
      // Browsers cannot draw it; something of it they can.
      return (emoji ?? poster) === undefined ? 'file' : 'moving';
    case 'animation':
      return PICTURES.includes(mime) ? 'picture' : 'loop';
    case 'video':
      return 'video';
    case 'video_note':
      return 'round';
    case 'voice':
    case 'audio':
      return 'sound';
    default:
      return lookOfDocument(mime);
  }
}

function lookOfDocument(mime: string): Look {
  if (PICTURES.includes(mime)) return 'picture';
  if (VIDEOS.includes(mime)) return 'video';
  return SOUNDS.includes(mime) ? 'sound' : 'file';
}

/** The file of a message, or its small picture. */
export function fileUrl({ bot_id, file_id = '' }: Message): string {
  return `/api/files?${new URLSearchParams({ bot_id: String(bot_id), file_id })}`;
}

export function posterUrl(message: Message): string | undefined {
  const { thumbnail_file_id: thumbnail } = message;
  return thumbnail === undefined ? undefined : fileUrl({ ...message, file_id: thumbnail });
}

/** The room that a picture takes before it is there, so that nothing moves when it comes. */
export function roomOf({ width, height }: Pick<Message, 'width' | 'height'>): CSSProperties {
  return width && height ? ({ '--w': width, '--h': height } as CSSProperties) : {};
}

export function sizeOf(bytes: number, number: (n: number) => string, units: readonly string[]): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${number(bytes / 1024 ** power)} ${units[power]}`;
}

export function clockOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The name of a file for people who cannot see it. */
export function pictureName({ text }: Pick<Message, 'text'>, kind: string): string {
  return text ? `${kind}: ${text}` : kind;
}
