import { badRequest } from '../bot-api-error.ts';
import { findWritableChat } from '../chats/find-chat.ts';
import { readFileReference } from '../files/read-file.ts';
import { showMedia } from '../files/show-media.ts';
import { json } from '../http/params.ts';
import { type MessageFields, postMessage } from '../messages/post-message.ts';
import { readReply } from '../messages/read-reply.ts';
import { showCaption } from '../messages/read-text.ts';
import { newQueryId } from '../simulator.ts';
import type { Call } from './call.ts';

export type InputMedia = Record<string, unknown> & { type: 'photo' | 'video' | 'document' | 'audio' | 'animation' };

const TYPES = new Set(['photo', 'video', 'document', 'audio']);

export async function sendMediaGroup(call: Call): Promise<unknown> {
  const chat = findWritableChat(call, 'can_send_photos');
  const media = json(call.params, 'media');
  if (!Array.isArray(media)) throw badRequest("can't parse media JSON object");
  if (media.length === 0) throw badRequest('there are no messages to send');
  if (media.length > 10) throw badRequest('too many messages to send as an album');
  const reply = readReply(call, chat);
  const contents: MessageFields[] = [];
  for (const item of media as InputMedia[]) {
    if (!TYPES.has(item?.type)) throw badRequest("can't parse media: Media type is invalid");
    contents.push(await readInputMedia(call, item));
  }
  const album = contents.length > 1 ? { media_group_id: newQueryId(call.sim) } : {};
  return contents.map((content) =>
    postMessage(call.sim, chat, { user: call.bot.user }, { ...reply, ...album, ...content }),
  );
}

/** Reads an InputMedia with its caption as message fields; its file is an id, a URL or an attach:// reference. */
export async function readInputMedia(call: Call, item: InputMedia): Promise<MessageFields> {
  if (typeof item.media !== 'string' || item.media === '') throw badRequest("can't parse media: media not found");
  const file = await readFileReference(call, item.type, item.media);
  const details = Object.fromEntries(
    ['duration', 'width', 'height'].map((name) => [name, Number(item[name] ?? 0) || 0]),
  );
  const caption = String(item.caption ?? '');
  const above = item.show_caption_above_media === true;
  return {
    ...showMedia(item.type, file, details),
    ...showCaption(caption, String(item.parse_mode ?? ''), item.caption_entities, above),
    ...(item.has_spoiler === true && { has_media_spoiler: true }),
  };
}
