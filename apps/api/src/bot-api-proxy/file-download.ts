import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refusal, sendAnswer } from './answer.ts';
import { describeError } from './describe-error.ts';
import type { BotPath } from './parse-bot-path.ts';
import { passThrough } from './pass-through.ts';
import { DISABLED, UNAUTHORIZED } from './refusals.ts';
import type { RunningProxy } from './running-proxy.ts';

type FilePath = Extract<BotPath, { kind: 'file' }>;

/** Streams a file of a bot from the platform, with its status, type, length and ranges. */
export function fileDownload(proxy: RunningProxy, req: IncomingMessage, res: ServerResponse, path: FilePath): void {
  const begunAtMs = performance.now();
  const refusal = refusalOf(proxy, path.token);
  if (refusal !== null) {
    sendAnswer(res, refusal);
    proxy.metrics.call('refused', null, refusal.code, begunAtMs);
    return;
  }
  passThrough(proxy.upstream, req, res, {
    path: path.upstreamPath,
    tee: null,
    body: null,
    errorDelayMs: 0,
    onDone: (status) => proxy.metrics.call('file', null, status, begunAtMs),
  });
}

function refusalOf({ deps }: RunningProxy, token: string): Refusal | null {
  try {
    const bot = deps.directory.byToken(token);
    if (bot === undefined) return deps.proxy.unknownBots === 'reject' ? UNAUTHORIZED : null;
    return bot.disabled ? DISABLED : null;
  } catch (error) {
    return describeError(deps.log, error);
  }
}
