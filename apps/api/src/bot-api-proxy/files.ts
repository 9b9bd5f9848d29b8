import type { IncomingMessage, ServerResponse } from 'node:http';
import { isProgramToken } from '@flotilla/domain/bots/program-credential.ts';
import { DISABLED, describeError, type Refusal, UNAUTHORIZED } from './answer.ts';
import { passThrough } from './pass-through.ts';
import type { BotPath } from './path.ts';
import { downloadForProgram } from './programs/download-for-program.ts';
import { type RunningProxy, refuseUnnamed } from './running-proxy.ts';

type FilePath = Extract<BotPath, { kind: 'file' }>;

/** Streams a file of a bot from the platform, with its status, type, length and ranges. */
export function downloadFile(proxy: RunningProxy, req: IncomingMessage, res: ServerResponse, path: FilePath): void {
  if (isProgramToken(path.token)) {
    void downloadForProgram(proxy, req, res, path);
    return;
  }
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
  try {
    const bot = context.directory.byToken(token);
    if (bot === undefined) return context.proxy.unknownBots === 'reject' ? UNAUTHORIZED : null;
    return bot.disabled ? DISABLED : null;
  } catch (error) {
    return describeError(context.log, error);
  }
}
