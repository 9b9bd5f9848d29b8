import { Readable } from 'node:stream';
import { multipartBoundary } from '@flotilla/telegram/parameters/multipart-boundary.ts';
import { multipartParser } from '@flotilla/telegram/parameters/multipart-parser.ts';
import { parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { FileHead } from '@flotilla/telegram/parameters/part-headers.ts';
import type { UploadedFile } from '@flotilla/telegram/uploaded-file.ts';
import { isForm, REPLY_BYTES } from './reply-room.ts';
import type { DeliveredAnswer } from './send-to-backend.ts';

/** A call with its parameters as texts. */
export type CallInReply = { method: string; params: Record<string, string>; files: FileOfReply[] };

type FileOfReply = FileHead & { pieces: Buffer[] };

/** The call in a JSON, urlencoded or multipart answer; null when there is none. `too-many`: one has too many parameters. */
export function readCall({
  contentType,
  reply,
}: Pick<DeliveredAnswer, 'contentType' | 'reply'>): CallInReply | 'too-many' | null {
  if (!reply.includes('method')) return null;
  const read = isForm(contentType) ? readForm(contentType, reply) : readText(contentType, reply);
  if (read === 'too-many') return read;
  const { values, files } = read;
  const { method = '', ...params } = Object.fromEntries(values);
  return /^\w{1,64}$/.test(method) ? { method, params, files } : null;
}

export function uploadOf({ field, name, mime, pieces }: FileOfReply): UploadedFile {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  return { field, name, mime, size, stream: Readable.from(pieces) };
}

type Read = { values: Map<string, string>; files: FileOfReply[] };

const NO_CALL: Read = { values: new Map(), files: [] };

/** Fields beyond 128 KiB are left out. A malformed form has no call, as at the platform. */
function readForm(contentType: string, reply: Buffer): Read | 'too-many' {
  const [values, files] = [new Map<string, string>(), [] as FileOfReply[]];
  const found = multipartBoundary(contentType);
  if ('fault' in found) return NO_CALL;
  let room = REPLY_BYTES;
  let isTooMany = false;
  const parser = multipartParser(
    found.boundary,
    { field: REPLY_BYTES, file: 0 },
    {
      onField(name, value) {
        room -= name.length + value.length;
        if (room >= 0 && !values.has(name)) values.set(name, value);
      },
      onTooManyFields() {
        isTooMany = true;
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
  if (isTooMany) return 'too-many';
  return parser.fault() === null ? { values, files } : NO_CALL;
}

function readText(contentType: string, reply: Buffer): Read | 'too-many' {
  const parameters = parametersOf('');
  const reader = parameterReader(contentType, parameters, { parameterBytes: REPLY_BYTES, fileBytes: 0 });
  reader.write(reply);
  reader.end();
  return parameters.overflow ? 'too-many' : { values: parameters.values, files: [] };
}
