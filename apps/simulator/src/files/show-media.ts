import type { SimFile } from './sim-file.ts';

export type MediaKind = 'photo' | 'document' | 'video' | 'animation' | 'audio' | 'voice' | 'video_note' | 'sticker';

export type MediaDetails = {
  duration?: number;
  width?: number;
  height?: number;
  length?: number;
  performer?: string;
  title?: string;
  emoji?: string;
};

/** The media fields of a message with this file. A photo has a single size. */
export function showMedia(kind: MediaKind, file: SimFile, details: MediaDetails = {}): Record<string, unknown> {
  const base = { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.bytes.length };
  const named = { ...(file.name && { file_name: file.name }), mime_type: file.mime };
  const duration = details.duration ?? 0;
  const size = { width: details.width || 640, height: details.height || 480 };
  switch (kind) {
    case 'photo':
      return { photo: [{ ...base, ...(pictureSize(file.bytes) ?? size) }] };
    case 'document':
      return { document: { ...named, ...base } };
    case 'video':
      return { video: { duration, ...size, ...named, ...base } };
    case 'animation': {
      const animation = { ...named, duration, ...size, ...base };
      return { animation, document: { ...named, ...base } };
    }
    case 'audio': {
      const { performer, title } = details;
      return { audio: { duration, ...named, ...(title && { title }), ...(performer && { performer }), ...base } };
    }
    case 'voice':
      return { voice: { duration, mime_type: 'audio/ogg', ...base } };
    case 'video_note':
      return { video_note: { duration, length: details.length || 240, ...base } };
    case 'sticker': {
      const look = { width: 512, height: 512, type: 'regular' };
      const motion = { is_animated: file.path.endsWith('.tgs'), is_video: file.path.endsWith('.webm') };
      return { sticker: { ...look, ...motion, ...(details.emoji && { emoji: details.emoji }), ...base } };
    }
  }
}

/** The media of a message, by kind. Animations also carry a `document`, so `animation` is checked first. */
export function mediaOf(message: Record<string, unknown>): { kind: MediaKind; fileId: string } | null {
  const kinds: MediaKind[] = ['animation', 'photo', 'document', 'video', 'audio', 'voice', 'video_note', 'sticker'];
  for (const kind of kinds) {
    const value = message[kind];
    const shown = Array.isArray(value) ? value.at(-1) : value;
    if (shown !== undefined) return { kind, fileId: (shown as { file_id: string }).file_id };
  }
  return null;
}

/** Reads width and height from the header of a PNG or JPEG. */
function pictureSize(bytes: Buffer): { width: number; height: number } | null {
  if (bytes.length > 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]!;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
  }
  return null;
}
