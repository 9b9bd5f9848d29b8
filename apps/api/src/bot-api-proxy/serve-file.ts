import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { resultOf } from '@flotilla/domain/fleet/bots/validate-token.ts';
import type { FileRange, OpenedFile } from '@flotilla/telegram/platform-client.ts';
import { lookup } from 'mime-types';
import type { Context } from '../context.ts';
import { sendPieces } from '../http/send-pieces.ts';
import { type BotApiAnswer, describeError, NOT_FOUND, sendEmpty, UNREADABLE_FILE } from './answer.ts';
import { type InterceptedCall, type RunningProxy, refuseRequest } from './call.ts';
import { SANDBOXED } from './headers.ts';

type Download = { req: IncomingMessage; res: ServerResponse; bot: Bot; path: string; begunAtMs: number };

/** True if we serve the files of the bot: its server is in local mode, and only names them. */
export function servesFiles({ servers }: Pick<Context, 'servers'>, { upstream }: Pick<Bot, 'upstream'>): boolean {
  return Boolean(servers.get(upstream)?.files);
}

/** The platform's getFile, with a path that can be downloaded from here. Throws FlotillaError. */
export async function getServedFile(
  { platform }: Context,
  { bot, parameters, signal }: InterceptedCall,
): Promise<BotApiAnswer> {
  const answer = await platform.call(bot.token, 'getFile', Object.fromEntries(parameters.values), { signal });
  if (answer.outcome !== 'refused') return { ok: true, result: JSON.stringify(resultOf(answer)) };
  const { errorCode: code, description, retryAfterS } = answer;
  return { ok: false, code, description, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
}

/** Streams a file with ranges, as the platform does. Never rejects. */
export async function serveFile(proxy: RunningProxy, download: Download): Promise<void> {
  const { req, res, bot, path, begunAtMs } = download;
  if (req.method !== 'GET' && req.method !== 'HEAD') return sendEmpty(res, 501);
  try {
    const opened = await proxy.context.platform.openFile(bot.token, path, rangeOf(req));
    if (opened.outcome === 'open') return await send(proxy, download, opened);
    if (opened.outcome === 'refused' && opened.status === 416) return sendEmpty(res, 416);
    refuseRequest(proxy, res, opened.outcome === 'refused' ? NOT_FOUND : UNREADABLE_FILE, begunAtMs);
  } catch (error) {
    refuseRequest(proxy, res, describeError(proxy.context.log, error), begunAtMs);
  }
}

function rangeOf({ headers }: IncomingMessage): FileRange | undefined {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined) return undefined;
  return { range, ...(typeof ifRange === 'string' ? { ifRange } : {}) };
}

async function send(
  proxy: RunningProxy,
  { req, res, path, begunAtMs }: Download,
  { status, stream, size, mime, headers }: OpenedFile & { outcome: 'open' },
): Promise<void> {
  const type = mime === 'application/octet-stream' ? lookup(path) || mime : mime;
  const length = size === null ? {} : { 'Content-Length': String(size) };
  res.writeHead(status, { 'Content-Type': type, ...length, ...headers, ...SANDBOXED });
  if (req.method === 'HEAD') {
    stream.destroy();
    res.end();
  }
  // The client has left, or sees that the rest does not come.
  else await sendPieces(res, { stream, size }).catch(() => undefined);
  proxy.metrics.call('file', null, status, begunAtMs);
}
