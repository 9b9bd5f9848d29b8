import { Readable } from 'node:stream';
import { type FileHead, multipartBoundary, multipartParser } from '@flotilla/telegram/parameters/multipart-parser.ts';
import { parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { UploadedFile } from '@flotilla/telegram/uploaded-file.ts';
import { isForm, REPLY_BYTES } from './reply-room.ts';
import type { DeliveredAnswer } from './send-to-backend.ts';

/** A call with its parameters as texts. */
export type CallInReply = { method: string; params: Record<string, string>; files: FileOfReply[] };

type FileOfReply = FileHead & { pieces: Buffer[] };

/** The call in a JSON, urlencoded or multipart answer; null when there is none. */
export function readCall({ contentType, reply }: Pick<DeliveredAnswer, 'contentType' | 'reply'>): CallInReply | null {
  if (!reply.includes('method')) return null;
  const { values, files } = isForm(contentType) ? readForm(contentType, reply) : readText(contentType, reply);
  const { method = '', ...params } = Object.fromEntries(values);
  return /^\w{1,64}$/.test(method) ? { method, params, files } : null;
}

export function uploadOf({ field, name, mime, pieces }: FileOfReply): UploadedFile {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  return { field, name, mime, size, stream: Readable.from(pieces) };
}

type Read = { values: Map<string, string>; files: FileOfReply[] };

/** Fields beyond 128 KiB are left out, as in answers of other types. */
function readForm(contentType: string, reply: Buffer): Read {
  const [values, files] = [new Map<string, string>(), [] as FileOfReply[]];
  const boundary = multipartBoundary(contentType);
  if (boundary === null) return { values, files };
  let room = REPLY_BYTES;
  const parser = multipartParser(
    boundary,
    { field: REPLY_BYTES, file: 0 },
    {
      onField(name, value) {
        room -= name.length + value.length;
        if (room >= 0 && !values.has(name)) values.set(name, value);
      },
      onFile: () => undefined,
      streamFile(head) {
        const file = { ...head, pieces: [] as Buffer[] };
        if (!files.some(({ field }) => field === head.field)) files.push(file);
        return (bytes) => file.pieces.push(bytes);
      },
    },
  );
  parser.write(reply);
  parser.end();
  return { values, files };
}

function readText(contentType: string, reply: Buffer): Read {
  const parameters = parametersOf('');
  const reader = parameterReader(contentType, parameters, { parameterBytes: REPLY_BYTES, fileBytes: 0 });
  reader.write(reply);
  reader.end();
  return { values: parameters.values, files: [] };
}
