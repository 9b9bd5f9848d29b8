import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type fileOperations, SHOWN_MEDIA_TYPES, SHOWN_PICTURES } from '@flotilla/contract/files.ts';
import type { ChatPhoto } from '@flotilla/domain/records/files/chat-photos.ts';
import { type BotFile, openFile } from '@flotilla/domain/records/files/open-file.ts';
import type { FileRange } from '@flotilla/telegram/platform-client.ts';
import type { Request, Response } from 'express';
import { lookup } from 'mime-types';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';

/** A single range; any other Range header is ignored, as HTTP allows. */
const ONE_RANGE = /^bytes=(\d{1,15}-\d{0,15}|-\d{1,15})$/;
const ANYTHING = 'application/octet-stream';
/** The bytes of a file id never change. */
const CACHED = 'private, max-age=3600';
const NO_PHOTO_CACHED = 'private, max-age=300';
const SANDBOX = "sandbox; default-src 'none'";

export const fileHandlers: Handlers<typeof fileOperations> = {
  async downloadFile(context, { input, request, response, whileAllowed }) {
    const file = await openFile(context, requireBot(context, input.bot_id), input.file_id, rangeOf(request));
    if (file === null) return void response.status(416).end();
    await whileAllowed((ended) => sendFile(request, response, file, ended));
  },

  async showChatPhoto(context, { input, response }) {
    sendPhoto(response, await context.chatPhotos.read(requireBot(context, input.bot_id), input.chat_id));
  },

  async showChatUserPhoto(context, { input, response }) {
    const author = { chatId: input.chat_id, userId: input.user_id };
    sendPhoto(response, await context.chatPhotos.ofAuthor(requireBot(context, input.bot_id), author));
  },
};

function sendPhoto(response: Response, photo: ChatPhoto | null): void {
  response.set('Cache-Control', photo === null ? NO_PHOTO_CACHED : CACHED);
  const type = photo && shownType(photo.path, photo.mime, SHOWN_PICTURES);
  if (photo === null || type === null) return void response.status(204).end();
  response.set({ 'Content-Type': type, 'Content-Security-Policy': SANDBOX }).end(photo.bytes);
}

function rangeOf({ headers }: Request): FileRange | undefined {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || !ONE_RANGE.test(range)) return undefined;
  return { range, ...(typeof ifRange === 'string' ? { ifRange } : {}) };
}

/** Cuts the connection if the download fails or `ended` aborts, so that nobody takes a part for the whole file. */
async function sendFile(request: Request, response: Response, file: BotFile, ended: AbortSignal): Promise<void> {
  response.status(file.status).set(fileHeaders(file));
  if (request.method === 'HEAD') {
    file.stream.destroy();
    return void response.end();
  }
  try {
    await pipeline(file.stream, response, { signal: ended });
  } catch (error) {
    // The client is gone; pipeline has ended the download.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/**
 * The headers of a file. Only pictures are shown when somebody opens their address. Sound and video keep their type, so
 * that players in a page play them; every other file is plain bytes.
 */
function fileHeaders({ path, mime, size, headers }: Pick<BotFile, 'path' | 'mime' | 'size' | 'headers'>) {
  const type = shownType(path, mime);
  return {
    ...headers,
    ...(size === null ? {} : { 'Content-Length': String(size) }),
    'Content-Type': type ?? ANYTHING,
    'Content-Disposition': type?.startsWith('image/') ? 'inline' : `attachment; filename="${plainName(path)}"`,
    'Content-Security-Policy': SANDBOX,
    'Cache-Control': CACHED,
  };
}

/** The platform serves most files as plain bytes; their names tell the type. */
function shownType(path: string, mime: string, shown: readonly string[] = SHOWN_MEDIA_TYPES): string | null {
  const named = mime.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const candidates = [named, lookup(path)];
  return candidates.find((type): type is string => type !== false && shown.includes(type)) ?? null;
}

function plainName(path: string): string {
  return basename(path).replaceAll(/[^A-Za-z0-9._-]/g, '_');
}
