import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type fileOperations, SHOWN_MEDIA_TYPES, SHOWN_PICTURES } from '@flotilla/contract/files.ts';
import type { ChatPhoto } from '@flotilla/domain/records/files/chat-photos.ts';
import { type BotFile, openFile } from '@flotilla/domain/records/files/open-file.ts';
import type { FileRange } from '@flotilla/telegram/platform-client.ts';
import type { Request, Response } from 'express';
import { lookup } from 'mime-types';
import { sendPieces } from '../http/send-pieces.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';

/** A single range; any other Range header is ignored, as HTTP allows. */
const ONE_RANGE = /^bytes=(\d{1,15}-\d{0,15}|-\d{1,15})$/;
const ANYTHING = 'application/octet-stream';
/** A browser keeps the bytes, and asks each time if whoever is signed in now may see them. */
const CACHED = 'private, no-cache';
const SANDBOX = "sandbox; default-src 'none'";

export const fileHandlers: Handlers<typeof fileOperations> = {
  async downloadFile(context, { input, request, response, whileAllowed }) {
    const bot = requireBot(context, input.bot_id);
    // The bytes of a file id never change.
    const tag = tagOf(`${bot.id} ${input.file_id}`);
    if (has(request, tag)) return sendUnchanged(response, tag);
    const file = await openFile(context, bot, input.file_id, rangeOf(request, tag));
    if (file === null) return void response.status(416).end();
    await whileAllowed((ended) => sendFile(request, response, file, tag, ended));
  },

  async showChatPhoto(context, { input, request, response }) {
    sendPhoto(request, response, await context.chatPhotos.read(requireBot(context, input.bot_id), input.chat_id));
  },

  async showChatUserPhoto(context, { input, request, response }) {
    const author = { chat_id: input.chat_id, user_id: input.user_id };
    sendPhoto(request, response, await context.chatPhotos.ofAuthor(requireBot(context, input.bot_id), author));
  },
};

/** The name of a version of bytes for If-None-Match. */
function tagOf(version: string | Buffer): string {
  return `"${createHash('sha256').update(version).digest('base64url')}"`;
}

function has(request: Request, tag: string): boolean {
  return request.headers['if-none-match']?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag) === true;
}

function sendUnchanged(response: Response, tag: string): void {
  response.status(304).set({ 'Cache-Control': CACHED, ETag: tag }).end();
}

function sendPhoto(request: Request, response: Response, photo: ChatPhoto | null): void {
  response.set('Cache-Control', CACHED);
  const type = photo && shownType(photo.path, photo.mime, SHOWN_PICTURES);
  if (photo === null || type === null) return void response.status(204).end();
  const tag = tagOf(photo.bytes);
  if (has(request, tag)) return void sendUnchanged(response, tag);
  response.set({ 'Content-Type': type, 'Content-Security-Policy': SANDBOX, ETag: tag }).end(photo.bytes);
}

function rangeOf({ headers }: Request, tag: string): FileRange | undefined {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || !ONE_RANGE.test(range)) return undefined;
  return { range, ...(typeof ifRange === 'string' && ifRange !== tag ? { ifRange } : {}) };
}

/** Cuts the connection if the download fails or `ended` aborts, so that nobody takes a part for the whole file. */
async function sendFile(
  request: Request,
  response: Response,
  file: BotFile,
  tag: string,
  ended: AbortSignal,
): Promise<void> {
  response.status(file.status).set({ ...fileHeaders(file), ETag: tag });
  if (request.method === 'HEAD') {
    file.stream.destroy();
    return void response.end();
  }
  try {
    await sendPieces(response, file, ended);
  } catch (error) {
    // The client is gone, which has ended the download.
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
