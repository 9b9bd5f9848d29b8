import type { IncomingMessage, ServerResponse } from 'node:http';
import { endWithAnswer, incomingTraceparent } from '../http/trace-request.ts';
import type { BotPath } from './parse-bot-path.ts';
import type { ProxyDeps } from './proxy-deps.ts';

/** What methods are called; a token that stands where a method should is none. */
const METHOD = /^[a-z]{1,40}$/;

/**
 * Records a call in the trace that the bot's program began, or in a new one. It only looks: what is passed on upstream
 * carries the program's own headers.
 */
export function traceCall(
  { tracing, directory }: ProxyDeps,
  req: IncomingMessage,
  res: ServerResponse,
  path: Exclude<BotPath, { kind: 'refused' }>,
) {
  const bot = directory.ready() ? directory.byToken(path.token) : undefined;
  const method = path.kind === 'file' ? 'file' : METHOD.test(path.method) ? path.method : 'other';
  const span = tracing?.start(`bot api ${method}`, {
    kind: 'server',
    parent: incomingTraceparent(req.headers),
    attributes: bot === undefined ? {} : { 'flotilla.bot_id': bot.id },
  });
  if (span) endWithAnswer(span, res);
}
