import type { IncomingMessage, ServerResponse } from 'node:http';
import { wasHandedFile } from '@flotilla/domain/delivery/programs/program-files.ts';
import { isProgramToken, type ProgramCredential } from '@flotilla/domain/fleet/bots/program-credential.ts';
import { isHeldByMove } from '@flotilla/domain/fleet/upstreams/hold-while-moving.ts';
import { percentDecoded } from '@flotilla/telegram/parameters/percent-decoded.ts';
import { encodeToken } from '@flotilla/telegram/token-text.ts';
import { credentialOf, isValid } from '../auth/program-credential.ts';
import type { Context } from '../context.ts';
import { DISABLED, describeError, forbidden, type Refusal, UNAUTHORIZED, whileMoving } from './answer.ts';
import { type RunningProxy, refuseRequest } from './call.ts';
import { passThrough } from './pass-through.ts';
import type { BotPath } from './path.ts';
import { refusedByState } from './programs/decide-program.ts';
import { type Refused, recordRefusal, refusalByRate } from './programs/refuse-token.ts';
import { hiddenSecret } from './programs/secret-mask.ts';
import { serveFile, servesFiles } from './serve-file.ts';

type FilePath = Extract<BotPath, { kind: 'file' }>;

const NOT_HANDED = forbidden('this token may download a file only after getFile gave it its path, within an hour');
const NOT_OF_CHATS = forbidden('this token may not download files: it is limited to some chats');
/** The path of the file, behind the token. */
const FILE = /^\/file\/bot(?:[\w:-]|%3a)+\/([^?]+)/i;
const METHOD = 'getfile';

/** Streams a file of a bot from the platform, with its status, type, length and ranges. */
export function downloadFile(proxy: RunningProxy, req: IncomingMessage, res: ServerResponse, path: FilePath): void {
  if (isProgramToken(path.token)) {
    void downloadForProgram(proxy, req, res, path);
    return;
  }
  const begunAtMs = performance.now();
  const refusal = refusalOf(proxy, path.token);
  if (refusal !== null) {
    refuseRequest(proxy, res, refusal, begunAtMs);
    return;
  }
  const bot = proxy.context.directory.byToken(path.token) ?? null;
  if (bot !== null && servesFiles(proxy.context, bot)) {
    void serveFile(proxy, { req, res, bot, path: fileOf(path), begunAtMs });
    return;
  }
  passThrough(proxy.upstreams.of(bot), req, res, {
    path: path.upstreamPath,
    botId: bot?.id ?? null,
    tee: null,
    asProgram: null,
    seen: null,
    keyed: null,
    body: null,
    errorDelayMs: 0,
    onDone: (status) => proxy.metrics.call('file', null, status, begunAtMs),
  });
}

function fileOf({ upstreamPath }: FilePath): string {
  return percentDecoded(FILE.exec(upstreamPath)?.[1] ?? '');
}

function refusalOf({ context }: RunningProxy, token: string): Refusal | null {
  try {
    const bot = context.directory.byToken(token);
    if (bot === undefined) return context.proxy.unknownBots === 'reject' ? UNAUTHORIZED : null;
    if (bot.disabled) return DISABLED;
    return isHeldByMove(context.directory, bot) ? whileMoving(bot) : null;
  } catch (error) {
    return describeError(context.log, error);
  }
}

/** Streams a file that was handed to the program. Never rejects. */
async function downloadForProgram(
  proxy: RunningProxy,
  req: IncomingMessage,
  res: ServerResponse,
  path: FilePath,
): Promise<void> {
  const begunAtMs = performance.now();
  const { context } = proxy;
  try {
    const found = await credentialOf(context.directory, path.token);
    if (found === undefined) return refuseRequest(proxy, res, UNAUTHORIZED, begunAtMs);
    const file = fileOf(path);
    const refused = await refusalForProgram(context, found, req.method, file);
    if (refused !== null) {
      recordRefusal(context, '', found, refused);
      return refuseRequest(proxy, res, refused.refusal, begunAtMs);
    }
    const { bot } = found;
    if (servesFiles(context, bot)) return await serveFile(proxy, { req, res, bot, path: file, begunAtMs });
    const filePath = `/file/bot${encodeToken(bot.token)}/${file.split('/').map(encodeURIComponent).join('/')}`;
    const secret = hiddenSecret(bot.token, path.token);
    passThrough(proxy.upstreams.of(bot), req, res, {
      path: filePath,
      botId: bot.id,
      tee: null,
      asProgram: { path: filePath, body: null, secret, isFile: true },
      seen: null,
      keyed: null,
      body: null,
      errorDelayMs: 0,
      onDone: (status) => proxy.metrics.call('file', null, status, begunAtMs),
    });
  } catch (error) {
    refuseRequest(proxy, res, describeError(context.log, error), begunAtMs);
  }
}

async function refusalForProgram(
  context: Context,
  found: ProgramCredential,
  verb: string | undefined,
  file: string,
): Promise<Refused | null> {
  if (!isValid(context, found)) return { reason: 'expired', refusal: UNAUTHORIZED };
  context.recordTokenUse(found.token.id);
  const refused = refusedByState(METHOD, found);
  if (refused !== null) return refused;
  if (isHeldByMove(context.directory, found.bot)) return { reason: 'paused', refusal: whileMoving(found.bot) };
  const refusal = await refusalByRate(context, found.token);
  if (refusal !== null) return { reason: 'rate', refusal };
  // Another token of the program was given the path, and a file does not tell its chat.
  if (found.token.chats !== null) return { reason: 'file', refusal: NOT_OF_CHATS };
  const owner = { botId: found.bot.id, programId: found.program.id };
  const isDownload = verb === 'GET' || verb === 'HEAD';
  return isDownload && (await wasHandedFile(context, owner, file)) ? null : { reason: 'file', refusal: NOT_HANDED };
}
