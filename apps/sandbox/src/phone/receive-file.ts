import type { IncomingMessage } from 'node:http';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { z } from 'zod';
import { type Asked, chatOf, type Deps, topicOf } from './asked.ts';
import { readBytes } from './read-body.ts';

/** Bytes as they are. A form of another site cannot send this type. */
export const FILE_TYPE = 'application/octet-stream';
/** More than bots may download (20 MB), so that a program can be tried with a file that is too big for it. */
export const MAX_FILE_MB = 25;
const MAX_AT_ONCE = 2;

const SIZE = z.coerce.number().int().min(0).max(1_000_000).default(0);

const SENT = z.object({
  kind: z.enum(['photo', 'document', 'video', 'animation', 'audio', 'voice', 'video_note', 'sticker']),
  name: z.string().max(255),
  type: z.string().max(127).optional(),
  caption: z.string().max(1024).optional(),
  album: z.string().max(64).optional(),
  reply: z.coerce.number().int().optional(),
  duration: SIZE,
  width: SIZE,
  height: SIZE,
});

/** A person sends a file: its bytes are the body, the rest is in the address. */
export async function receiveFile(
  deps: Deps,
  asked: Asked,
  { request, query }: { request: IncomingMessage; query: URLSearchParams },
): Promise<object> {
  const { kind, name, type, caption, album, reply, ...size } = SENT.parse(Object.fromEntries(query));
  if (deps.receiving >= MAX_AT_ONCE) throw new FlotillaError('bad_request', 'Other files are on their way. Try again.');
  deps.receiving += 1;
  try {
    const bytes = await readBytes(request, MAX_FILE_MB * 1024 * 1024, `A file may have ${MAX_FILE_MB} MB at most.`);
    if (bytes.length === 0) throw new FlotillaError('bad_request', 'The file is empty.');
    return await deps.control.sendMessage({
      ...chatOf(asked),
      ...topicOf(asked),
      file: { kind, name, base64: bytes.toString('base64'), ...(type && { mime: type }), ...size },
      ...(caption && { caption }),
      ...(album && { mediaGroupId: album }),
      ...(reply !== undefined && { replyTo: reply }),
    });
  } finally {
    deps.receiving -= 1;
  }
}
