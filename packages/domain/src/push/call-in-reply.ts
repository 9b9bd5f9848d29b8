import type { Logger } from '@flotilla/runtime/logger.ts';
import { capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import { parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { CallBuffer } from '../history/stream/call-buffer.ts';
import type { Backend } from './backend.ts';

export type ReplyDeps = { platform: PlatformClient; calls: Pick<CallBuffer, 'keep'>; log: Logger };

const IGNORED = new Set(['deletewebhook', 'setwebhook', 'close', 'logout']);

/**
 * Executes the Bot API call that a backend put into its answer, as the platform does: one per answer, its result
 * discarded (we keep it in the history). Answers without a call (`ok!`, `{}`, nothing) are ignored. Never throws.
 */
export async function callInReply(
  deps: ReplyDeps,
  bot: Backend,
  delivery: { contentType: string; reply: string },
): Promise<void> {
  const call = readCall(delivery);
  if (call === null) return;
  const method = call.method.toLowerCase();
  if (IGNORED.has(method) || method.startsWith('get')) return;
  const answer = await deps.platform.call(bot.token, call.method, call.params);
  if (answer.outcome !== 'ok') {
    deps.log.info({ bot: bot.id, method, outcome: answer.outcome }, 'a call in a reply to a delivery did not succeed');
    return;
  }
  if (!capturedMethod(method)) return;
  const { program } = bot;
  const actor = program && { actor: { programId: program.id, program: program.name } };
  deps.calls.keep(bot, { method, params: call.params, result: JSON.stringify(answer.result), ...actor });
}

const LIMITS = { parameterBytes: 128 * 1024, fileBytes: 0 };

/** The call in a JSON, urlencoded or multipart answer, with its parameters as texts; null when there is none. */
function readCall(delivery: { contentType: string; reply: string }) {
  if (!delivery.reply.includes('method')) return null;
  const parameters = parametersOf('');
  const reader = parameterReader(delivery.contentType, parameters, LIMITS);
  reader.write(Buffer.from(delivery.reply));
  reader.end();
  const { method = '', ...params } = Object.fromEntries(parameters.values);
  return /^\w+$/.test(method) ? { method, params } : null;
}
