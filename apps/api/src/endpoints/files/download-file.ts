import { pipeline } from 'node:stream/promises';
import { downloadFile as operation } from '@flotilla/contract/operations/files.ts';
import { type BotFile, openFile } from '@flotilla/domain/files/open-file.ts';
import type { FileRange } from '@flotilla/telegram/platform-client.ts';
import type { Request, Response } from 'express';
import { defineStreamEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';
import { fileHeaders } from './file-headers.ts';

/** One range; what else the header may say is left to those who send it, as HTTP allows. */
const ONE_RANGE = /^bytes=(\d{1,15}-\d{0,15}|-\d{1,15})$/;

export const downloadFileEndpoint = defineStreamEndpoint(operation, async (context, call) => {
  const { input, request, response, whileAllowed } = call;
  const file = await openFile(context, requireBot(context, input.bot_id), input.file_id, rangeOf(request));
  if (file === null) return void response.status(416).end();
  await whileAllowed((ended) => sendFile(request, response, file, ended));
});

function rangeOf({ headers }: Request): FileRange | undefined {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || !ONE_RANGE.test(range)) return undefined;
  return { range, ...(typeof ifRange === 'string' ? { ifRange } : {}) };
}

/** What breaks off on the way, or `ended` breaks off, breaks the connection: a part must not be taken for the whole. */
async function sendFile(request: Request, response: Response, file: BotFile, ended: AbortSignal): Promise<void> {
  response.status(file.status).set(fileHeaders(file));
  if (request.method === 'HEAD') {
    file.stream.destroy();
    return void response.end();
  }
  try {
    await pipeline(file.stream, response, { signal: ended });
  } catch (error) {
    // The client went away; pipeline has ended the download.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
