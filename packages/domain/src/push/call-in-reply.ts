import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import { isOfManagedBots, writtenMethod } from '@flotilla/telegram/method-groups.ts';
import { parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { ActiveToken } from '../bots/active-program.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { countCall } from '../bots/count-call.ts';
import { judgeCall, limitsOf } from '../bots/judge-call.ts';
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
  const judged = await judge(deps, backend, method, call.params).catch((error: unknown) => {
    deps.log.warn({ bot: backend.id, method, reason: String(error) }, 'a call in a reply was left out: Redis is away');
    return 'away' as const;
  });
  if (judged === 'away') return;
  if (judged.outcome === 'refused') {
    refuse(deps, backend, method, judged);
    return;
  }
  const { params } = judged;
  const answer = await deps.platform.call(backend.token, call.method, params);
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
  deps.calls.keep(backend, { method, params, result: JSON.stringify(answer.result), ...actor });
}

type Params = Record<string, string>;
type Refused = {
  outcome: 'refused';
  reason: 'method' | 'chat' | 'rate' | 'expired';
  token: { id: number } | null;
  why?: string;
  chatId?: number | null;
};
type Judged = { outcome: 'allowed'; params: Params } | Refused;

/**
 * A call in an answer has the limits of the token that set the webhook, which may have ended since the delivery began. If a
 * user gave the backend by REST, the call may do what users may. No program may act on other bots unless it is allowed to.
 * Rejects if Redis cannot count the call.
 */
async function judge(
  deps: ReplyDeps,
  { program }: BotWithBackend,
  lowerCaseMethod: string,
  params: Params,
): Promise<Judged> {
  if (program === undefined) return { outcome: 'allowed', params };
  const { webhookTokenId, backendRole } = program;
  if (webhookTokenId === null) {
    const byAdmin = backendRole === 'admin';
    const isAllowed = byAdmin ? !isOfManagedBots(lowerCaseMethod) : isGrantedByUsers(lowerCaseMethod);
    if (!isAllowed) return { outcome: 'refused', reason: 'method', token: null };
    return byAdmin ? { outcome: 'allowed', params } : withinLimits(OF_USERS, null, lowerCaseMethod, params);
  }
  const { directory, clock } = deps;
  const programs = directory.ready() ? directory.byProgram(program.id)?.programs : undefined;
  const tokens = programs?.find(({ id }) => id === program.id)?.tokens ?? [];
  const token = webhookTokenOf({ webhookTokenId, tokens, filter: program.filter }, clock.nowMs());
  if (token === null || typeof token === 'string') {
    return { outcome: 'refused', reason: 'expired', token: { id: webhookTokenId } };
  }
  if (!isMethodAllowed(token, lowerCaseMethod)) return { outcome: 'refused', reason: 'method', token };
  const judged = withinLimits(token, token, lowerCaseMethod, params);
  if (judged.outcome === 'refused' || (await countCall(deps, token)) === 0) return judged;
  return { outcome: 'refused', reason: 'rate', token };
}

/** A user grants neither what costs money nor files of a disk. */
const OF_USERS = { methods: null, chats: null };

function withinLimits(
  of: Pick<ActiveToken, 'methods' | 'chats'>,
  token: ActiveToken | null,
  lowerCaseMethod: string,
  params: Params,
): Judged {
  const seen = new Map(Object.entries(params).map(([name, value]) => [name, [value]]));
  const judged = judgeCall(limitsOf(of), lowerCaseMethod, seen);
  if (judged.outcome === 'allowed') return { outcome: 'allowed', params: Object.fromEntries(judged.parameters) };
  const { about: reason, why, chatId } = judged;
  return { outcome: 'refused', reason, token, why, chatId };
}

/** Keeps the refusal for those who look after the program. */
function refuse(
  { programRefusals, log }: ReplyDeps,
  backend: BotWithBackend,
  method: string,
  { reason, token, why, chatId = null }: Refused,
): void {
  const { program } = backend;
  if (program === undefined) return;
  log.info({ bot: backend.id, program: program.id, method, reason }, 'a call in a reply was left out');
  const description = `${wordsOf(reason, method, why)} (a call in the answer to a delivery)`;
  programRefusals.record({ bot: backend, program, token }, { method, reason, description, chatId });
}

/** As the proxy words it. */
function wordsOf(reason: Refused['reason'], method: string, why?: string): string {
  switch (reason) {
    case 'method':
    case 'chat':
      return `Forbidden: this token may not call ${writtenMethod(method)}${why === undefined ? '' : `: ${why}`}`;
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
