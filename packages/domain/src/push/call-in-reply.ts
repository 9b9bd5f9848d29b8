import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import { isOfManagedBots, writtenMethod } from '@flotilla/telegram/method-groups.ts';
import { parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { countCall } from '../bots/count-call.ts';
import { isGrantedByUsers } from '../bots/methods-of-users.ts';
import { isMethodAllowed } from '../bots/token-methods.ts';
import { webhookTokenOf } from '../bots/webhook-token.ts';
import type { CallBuffer } from '../history/stream/call-buffer.ts';
import type { RefusalRecorder } from '../refusals/refusal-recorder.ts';
import type { BotWithBackend } from './backend.ts';

export type ReplyDeps = {
  platform: PlatformClient;
  calls: Pick<CallBuffer, 'keep'>;
  redis: RedisHandles;
  directory: Pick<BotDirectory, 'ready' | 'byProgram'>;
  programRefusals: Pick<RefusalRecorder, 'record'>;
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
  backend: BotWithBackend,
  delivery: { contentType: string; reply: string },
): Promise<void> {
  const call = readCall(delivery);
  if (call === null) return;
  const method = call.method.toLowerCase();
  if (IGNORED.has(method) || method.startsWith('get')) return;
  const refused = await whyRefused(deps, backend, method).catch((error: unknown) => {
    deps.log.warn({ bot: backend.id, method, reason: String(error) }, 'a call in a reply was left out: Redis is away');
    return 'away' as const;
  });
  if (refused === 'away') return;
  if (refused !== null) {
    refuse(deps, backend, method, refused);
    return;
  }
  const answer = await deps.platform.call(backend.token, call.method, call.params);
  if (answer.outcome !== 'ok') {
    deps.log.info(
      { bot: backend.id, method, outcome: answer.outcome },
      'a call in a reply to a delivery did not succeed',
    );
    return;
  }
  if (!capturedMethod(method)) return;
  const { program } = backend;
  const actor = program && { actor: { programId: program.id, program: program.name } };
  deps.calls.keep(backend, { method, params: call.params, result: JSON.stringify(answer.result), ...actor });
}

type Refused = { reason: 'method' | 'chat' | 'rate' | 'expired'; token: { id: number } | null };

/**
 * A call in an answer has the limits of the token that set the webhook, which may have ended since the delivery began. If a
 * user gave the backend by REST, the call may do what users may. No program may act on other bots unless it is allowed to.
 * Rejects if Redis cannot count the call.
 */
async function whyRefused(
  deps: ReplyDeps,
  { program }: BotWithBackend,
  lowerCaseMethod: string,
): Promise<Refused | null> {
  if (program === undefined) return null;
  const { webhookTokenId, backendRole } = program;
  if (webhookTokenId === null) {
    const isAllowed = backendRole === 'admin' ? !isOfManagedBots(lowerCaseMethod) : isGrantedByUsers(lowerCaseMethod);
    return isAllowed ? null : { reason: 'method', token: null };
  }
  const { directory, clock } = deps;
  const programs = directory.ready() ? directory.byProgram(program.id)?.programs : undefined;
  const tokens = programs?.find(({ id }) => id === program.id)?.tokens ?? [];
  const token = webhookTokenOf({ webhookTokenId, tokens }, clock.nowMs());
  if (token === null || token === 'ended') return { reason: 'expired', token: { id: webhookTokenId } };
  if (token.chats !== null) return { reason: 'chat', token };
  if (!isMethodAllowed(token, lowerCaseMethod)) return { reason: 'method', token };
  return (await countCall(deps, token)) === 0 ? null : { reason: 'rate', token };
}

/** Keeps the refusal for those who look after the program. */
function refuse(
  { programRefusals, log }: ReplyDeps,
  backend: BotWithBackend,
  method: string,
  { reason, token }: Refused,
): void {
  const { program } = backend;
  if (program === undefined) return;
  log.info({ bot: backend.id, program: program.id, method, reason }, 'a call in a reply was left out');
  const description = `${wordsOf(reason, method)} (a call in the answer to a delivery)`;
  programRefusals.record({ bot: backend, program, token }, { method, reason, description, chatId: null });
}

/** As the proxy words it. */
function wordsOf(reason: Refused['reason'], method: string): string {
  switch (reason) {
    case 'method':
      return `Forbidden: this token may not call ${writtenMethod(method)}`;
    case 'chat':
      return `Forbidden: this token may not call ${writtenMethod(method)}: its chats cannot be told`;
    case 'rate':
      return 'Too Many Requests';
    case 'expired':
      return 'Unauthorized';
  }
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
