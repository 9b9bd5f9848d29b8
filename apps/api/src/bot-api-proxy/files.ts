import type { IncomingMessage, ServerResponse } from 'node:http';
import { isProgramToken } from '@flotilla/domain/bots/program-credential.ts';
import type { Context } from '../context.ts';
import { DISABLED, describeError, forbidden, type Refusal, UNAUTHORIZED } from './answer.ts';
import { passThrough } from './pass-through.ts';
import type { BotPath } from './path.ts';
import { recordRefusal } from './programs/refuse-token.ts';
import { type RunningProxy, refuseUnnamed } from './running-proxy.ts';

const NO_FILES = forbidden('this token may not download files');

type FilePath = Extract<BotPath, { kind: 'file' }>;

/** Streams a file of a bot from the platform, with its status, type, length and ranges. */
export function downloadFile(proxy: RunningProxy, req: IncomingMessage, res: ServerResponse, path: FilePath): void {
  const begunAtMs = performance.now();
  const refusal = refusalOf(proxy, path.token);
  if (refusal !== null) {
    refuseUnnamed(proxy, res, refusal, begunAtMs);
    return;
  }
  passThrough(proxy.upstream, req, res, {
    path: path.upstreamPath,
    tee: null,
    asProgram: null,
    body: null,
    errorDelayMs: 0,
    onDone: (status) => proxy.metrics.call('file', null, status, begunAtMs),
  });
}

function refusalOf({ context }: RunningProxy, token: string): Refusal | null {
  if (isProgramToken(token)) return refusalOfProgram(context, token);
  try {
    const bot = context.directory.byToken(token);
    if (bot === undefined) return context.proxy.unknownBots === 'reject' ? UNAUTHORIZED : null;
    return bot.disabled ? DISABLED : null;
  } catch (error) {
    return describeError(context.log, error);
  }
}

/** A path says nothing about who was handed the file, so a program gets none. */
function refusalOfProgram(context: Context, token: string): Refusal {
  const found = context.directory.ready() ? context.directory.byProgramToken(token) : undefined;
  if (found !== undefined) recordRefusal(context, '', found, { reason: 'file', refusal: NO_FILES });
  return NO_FILES;
}
