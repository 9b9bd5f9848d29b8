import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import { isOfManagedBots } from '@flotilla/telegram/method-groups.ts';
import { parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { countCall } from '../bots/count-call.ts';
import { isMethodAllowed } from '../bots/token-methods.ts';
import { webhookTokenOf } from '../bots/webhook-token.ts';
import type { CallBuffer } from '../history/stream/call-buffer.ts';
import type { Backend } from './backend.ts';

export type ReplyDeps = {
  platform: PlatformClient;
  calls: Pick<CallBuffer, 'keep'>;
  redis: RedisHandles;
  directory: Pick<BotDirectory, 'ready' | 'byProgram'>;
  clock: Clock;
  log: Logger;
};

const IGNORED = new Set(['deletewebhook', 'setwebhook', 'close', 'logout']);

/**
 * Executes the Bot API call that a backend put into its answer, as the platform does: one per answer, its result
 * discarded (we keep it in the history). Answers without a call (`ok!`, `{}`, nothing) are ignored, and so are calls that
 * the token that set the backend may not make. Never throws.
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
  if (!(await mayCall(deps, bot, method))) {
    const names = { bot: bot.id, program: bot.program?.id, method };
    deps.log.info(names, 'a call in a reply was left out: the program may not make it');
    return;
  }
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

/**
 * Who set a webhook with a token acts by its answers with the limits of that token. It may have ended since the delivery
 * began. No program reaches other bots unasked.
 */
async function mayCall(deps: ReplyDeps, { program }: Backend, lowerCaseMethod: string): Promise<boolean> {
  if (program === undefined) return true;
  if (program.webhookTokenId === null) return !isOfManagedBots(lowerCaseMethod);
  const { directory, clock } = deps;
  const programs = directory.ready() ? directory.byProgram(program.id)?.programs : undefined;
  const tokens = programs?.find(({ id }) => id === program.id)?.tokens ?? [];
  const token = webhookTokenOf({ webhookTokenId: program.webhookTokenId, tokens }, clock.nowMs());
  if (token === null || token === 'ended' || token.chats !== null) return false;
  if (!isMethodAllowed(token, lowerCaseMethod)) return false;
  return (await countCall(deps, token).catch(() => 1)) === 0;
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
  return /^\w{1,64}$/.test(method) ? { method, params } : null;
}
