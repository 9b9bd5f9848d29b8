import type { messageActionOperations, SentMedia } from '@flotilla/contract/message-actions.ts';
import type { Content, MediaSource } from '@flotilla/domain/messages/send-message.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { IncomingFile } from '../http/incoming-file.ts';
import type { Call } from '../operations/handler.ts';

type SendInput = Call<typeof messageActionOperations.sendMessage.input>['input'];

/** The formats that the platform shows as more than a document. */
const MEDIA_OF_MIME: Record<string, SentMedia> = {
  'image/jpeg': 'photo',
  'image/png': 'photo',
  'image/webp': 'photo',
  'image/gif': 'animation',
  'video/mp4': 'video',
  'audio/mpeg': 'audio',
  'audio/mp4': 'audio',
  'audio/x-m4a': 'audio',
  'audio/ogg': 'voice',
};

/** What a call sends: a text, or a medium. Throws 'bad_request' when it has neither, or more than one medium. */
export function contentOf(input: SendInput, file: IncomingFile | null): Content {
  const { text, media_type: media } = input;
  const source = sourceOf(input, file);
  if (source !== null) return { media: media ?? mediaOf(source), caption: text, source };
  if (media !== undefined) throw refusedInput('media_type', 'needs a file, a file_id or a url');
  if (text === undefined) throw refusedInput('text', 'is required');
  if (text === '') throw refusedInput('text', 'must not be empty');
  return { text };
}

function sourceOf({ file_id: fileId, url }: SendInput, file: IncomingFile | null): MediaSource | null {
  const [source, another] = [file, fileId, url].filter((given) => given !== null && given !== undefined);
  if (another !== undefined) throw refusedInput('file', 'must be the only one of file, file_id and url');
  if (source === undefined || typeof source === 'string') return source ?? null;
  return { name: source.fileName, mime: source.mime, size: null, stream: source };
}

function mediaOf(source: MediaSource): SentMedia {
  if (typeof source === 'string') throw refusedInput('media_type', 'is required with file_id and url');
  return MEDIA_OF_MIME[source.mime] ?? 'document';
}
