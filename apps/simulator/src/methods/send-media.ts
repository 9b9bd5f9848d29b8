import { readFile } from '../files/read-file.ts';
import { type MediaKind, showMedia } from '../files/show-media.ts';
import { boolean, integer, text } from '../http/params.ts';
import { readCaption } from '../messages/read-text.ts';
import type { Call, Method } from './call.ts';
import { send } from './send.ts';

const PERMISSIONS: Record<MediaKind, string> = {
  photo: 'can_send_photos',
  document: 'can_send_documents',
  video: 'can_send_videos',
  animation: 'can_send_other_messages',
  audio: 'can_send_audios',
  voice: 'can_send_voice_notes',
  video_note: 'can_send_video_notes',
  sticker: 'can_send_other_messages',
};

function sendMedia(kind: MediaKind): Method {
  return (call) =>
    send(call, PERMISSIONS[kind], async () => {
      const file = await readFile(call, kind, kind);
      const shown = showMedia(kind, file, readDetails(call));
      const spoiler = boolean(call.params, 'has_spoiler') && ['photo', 'video', 'animation'].includes(kind);
      const caption = kind === 'sticker' || kind === 'video_note' ? {} : readCaption(call.params);
      return { ...shown, ...caption, ...(spoiler && { has_media_spoiler: true }) };
    });
}

function readDetails({ params }: Call) {
  return {
    duration: integer(params, 'duration', 0),
    width: integer(params, 'width', 0),
    height: integer(params, 'height', 0),
    length: integer(params, 'length', 0),
    performer: text(params, 'performer'),
    title: text(params, 'title'),
    emoji: text(params, 'emoji'),
  };
}

export function sendLivePhoto(call: Call): Promise<unknown> {
  return send(call, PERMISSIONS.photo, async () => {
    const { video } = showMedia('video', await readFile(call, 'video', 'live_photo'), readDetails(call));
    return { live_photo: video, ...readCaption(call.params) };
  });
}

export const sendPhoto = sendMedia('photo');
export const sendDocument = sendMedia('document');
export const sendVideo = sendMedia('video');
export const sendAnimation = sendMedia('animation');
export const sendAudio = sendMedia('audio');
export const sendVoice = sendMedia('voice');
export const sendVideoNote = sendMedia('video_note');
export const sendSticker = sendMedia('sticker');
