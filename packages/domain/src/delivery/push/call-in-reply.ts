import { writtenMethod } from '@flotilla/contract/bot-api/methods.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { UpstreamServers } from '@flotilla/runtime/upstreams-setting.ts';
import { fateOf } from '@flotilla/telegram/call-fate.ts';
import { capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import { isOfManagedBots } from '@flotilla/telegram/method-groups.ts';
import { MOST_PARAMETERS } from '@flotilla/telegram/parameters/collect-parameters.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { ActiveToken } from '../../fleet/bots/active-program.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { uploadsAt } from '../../fleet/upstreams/server-of-name.ts';
import type { CallBuffer } from '../../records/history/stream/call-buffer.ts';
import type { Attempt } from '../../records/journal/attempt-line.ts';
import { type CallLimits, checkCall, LIMITS_OF_MANAGED, limitsOf } from '../programs/check-call.ts';
import type { NamedMessage } from '../programs/check-topics.ts';
import { countCall } from '../programs/count-call.ts';
import type { MessageTopics } from '../programs/message-topics.ts';
import { isGrantedByUsers } from '../programs/methods-of-users.ts';
import { isMethodAllowed } from '../programs/token-methods.ts';
import { webhookTokenOf } from '../programs/webhook-token.ts';
import { ANSWER_CALLBACK_QUERY, ANSWERED, type AnsweredCallbacks, answerer } from '../readers/answered-callbacks.ts';
import type { RefusalRecorder } from '../refusals/refusal-recorder.ts';
import type { BotWithBackend } from './backend.ts';
import { type CallInReply, readCall, uploadOf } from './read-call.ts';
import { isForm, REPLY_BYTES, REPLY_WITH_FILES_BYTES } from './reply-room.ts';
import type { DeliveredAnswer } from './send-to-backend.ts';

export type ReplyDeps = {
  platform: PlatformClient;
  calls: Pick<CallBuffer, 'keep'>;
  redis: RedisHandles;
  directory: Pick<BotDirectory, 'ready' | 'byId' | 'byProgram'>;
  programRefusals: Pick<RefusalRecorder, 'record'>;
  answeredCallbacks: AnsweredCallbacks;
  messageTopics: MessageTopics;
  servers: UpstreamServers;
  clock: Clock;
  log: Logger;
};

const IGNORED = new Set(['deletewebhook', 'setwebhook', 'close', 'logout']);

/** The call in the answer of an attempt. */
type Called = Pick<Attempt, 'call' | 'call_error'>;

/**
 * Executes the Bot API call that a backend put into its answer, as the platform does: one per answer, its result
 * discarded (we keep it in the history). Answers without a call (`ok!`, `{}`, nothing) are ignored. Returns the call, or why it
 * was not made, or was refused by the platform. Never throws.
 */
export async function callInReply(
  deps: ReplyDeps,
  backend: BotWithBackend,
  delivery: Pick<DeliveredAnswer, 'contentType' | 'reply' | 'isCut' | 'start'>,
): Promise<Called> {
  if (delivery.isCut) return mayHaveCall(delivery) ? { call_error: TOO_LONG } : {};
  const call = readCall(delivery);
  if (call === null) return {};
  if (call === 'too-many') return { call_error: TOO_MANY };
  const method = call.method.toLowerCase();
  if (IGNORED.has(method) || method.startsWith('get')) return {};
  const checked = await check(deps, backend, method, call.params).catch((error: unknown) => {
    deps.log.warn(
      { bot: backend.id, method, reason: String(error) },
      'a call in a reply was left out: a store is away',
    );
    return 'away' as const;
  });
  if (checked === 'away') return notMade(method, 'Flotilla could not check its limits');
  if (checked.outcome === 'refused') return notMade(method, refuse(deps, backend, method, checked));
  const { params } = checked;
  const answer = await makeCall(deps, backend, { ...call, params });
  if (method === ANSWER_CALLBACK_QUERY && (await isSettled(deps, backend, params, answer))) return made(method, null);
  if (answer.outcome !== 'ok') {
    deps.log.info(
      { bot: backend.id, method, outcome: answer.outcome, ...('reason' in answer && { reason: answer.reason }) },
      'a call in a reply to a delivery did not succeed',
    );
    return notMade(method, reasonOf(answer, backend.token));
  }
  const done = made(method, answer.result);
  if (!capturedMethod(method)) return done;
  const { program } = backend;
  const actor = program && { actor: { programId: program.id, program: program.name } };
  deps.calls.keep(backend, { method, params, result: JSON.stringify(answer.result), ...actor });
  return done;
}

const TOO_LONG = `The call in the answer was not made: an answer may have ${REPLY_BYTES / 1024} KiB, with files ${REPLY_WITH_FILES_BYTES / 1024 / 1024} MiB, and not too many with files may come at once`;
const TOO_MANY = `The call in the answer was not made: it may have ${MOST_PARAMETERS} parameters`;
const REASON_LENGTH = 300;

function makeCall(
  { platform }: ReplyDeps,
  { token }: BotWithBackend,
  { method, params, files }: CallInReply,
): Promise<PlatformAnswer> {
  return files.length === 0
    ? platform.call(token, method, params)
    : platform.upload(token, method, params, files.map(uploadOf));
}

function notMade(lowerCaseMethod: string, reason: string): Called {
  const text = `The call of ${writtenMethod(lowerCaseMethod)} in the answer did not succeed: ${reason}`;
  return { call_error: text.slice(0, REASON_LENGTH) };
}

function made(lowerCaseMethod: string, result: unknown): Called {
  const { message_id: id } = (typeof result === 'object' && result !== null ? result : {}) as { message_id?: unknown };
  return { call: { method: writtenMethod(lowerCaseMethod), messageId: typeof id === 'number' ? id : null } };
}

/** Programs see it, so it has neither the secret of the bot's token nor addresses of our network. */
function reasonOf(answer: Exclude<PlatformAnswer, { outcome: 'ok' }>, token: string): string {
  switch (answer.outcome) {
    case 'refused':
      return `${answer.errorCode} ${answer.description}`.replaceAll(token.slice(token.indexOf(':') + 1), '***');
    case 'unreachable':
      if (answer.neverSent === true) return 'the platform could not be reached';
      return `${answer.timedOut ? 'the platform did not answer in time' : 'the connection to the platform broke'}, and may have carried it out`;
    case 'garbage':
      return `the platform answered with status ${answer.status}${fateOf(answer) === 'doubt' ? ', and may have carried it out' : ''}`;
  }
}

/** Of an answer that was not read whole. Long pages of HTML and the like are no calls. */
function mayHaveCall({ contentType, start }: Pick<DeliveredAnswer, 'contentType' | 'start'>): boolean {
  if (isForm(contentType)) return true;
  return /^application\/(?:json|x-www-form-urlencoded)\b/i.test(contentType) && /\bmethod\b/.test(start.text);
}

type Params = Record<string, string>;
type Refused = {
  outcome: 'refused';
  reason: 'method' | 'chat' | 'rate' | 'expired';
  token: { id: number } | null;
  why?: string;
  chatId?: number | null;
};
/** `messages`: those that must be in the topics of the token. */
type Checked = { outcome: 'allowed'; params: Params; messages: NamedMessage[] } | Refused;

/**
 * A call in an answer has the limits of the token that set the webhook, which may have ended since the delivery began. If a
 * user gave the backend by REST, the call may do what users may. No program may act on other bots unless it is allowed to.
 * Rejects if Redis cannot count the call, or Postgres cannot tell the topic of a message that it names.
 */
async function check(
  deps: ReplyDeps,
  backend: BotWithBackend,
  lowerCaseMethod: string,
  params: Params,
): Promise<Checked> {
  const { program } = backend;
  const { directory, clock } = deps;
  const uploads = uploadsAt(deps.servers, backend);
  const asAdmin = () => withinFiles(uploads, lowerCaseMethod, params);
  // Its own token may have set the backend.
  const isManaged = backend.parent_bot_id !== null;
  if (program === undefined) {
    return isManaged ? withinLimits(LIMITS_OF_MANAGED, null, lowerCaseMethod, params) : asAdmin();
  }
  const { webhook_token_id, backend_role } = program;
  if (webhook_token_id === null) {
    const byAdmin = backend_role === 'admin';
    const isAllowed = byAdmin ? !isOfManagedBots(lowerCaseMethod) : isGrantedByUsers(lowerCaseMethod);
    if (!isAllowed) return { outcome: 'refused', reason: 'method', token: null };
    return byAdmin ? asAdmin() : withinLimits(limitsOf(OF_USERS, null), null, lowerCaseMethod, params);
  }
  const programs = directory.ready() ? directory.byProgram(program.id)?.programs : undefined;
  const tokens = programs?.find(({ id }) => id === program.id)?.tokens ?? [];
  const token = webhookTokenOf({ ...program, webhook_token_id, tokens }, clock.nowMs());
  if (token === null || typeof token === 'string') {
    return { outcome: 'refused', reason: 'expired', token: { id: webhook_token_id } };
  }
  if (!isMethodAllowed(token, lowerCaseMethod)) return { outcome: 'refused', reason: 'method', token };
  const checked = withinLimits(limitsOf(token, uploads), token, lowerCaseMethod, params);
  if (checked.outcome === 'refused') return checked;
  const why = await whyOutside(deps, backend, token, checked.messages);
  if (why !== null) return { outcome: 'refused', reason: 'chat', token, why };
  const { retryAfterS } = await countCall(deps, token);
  return retryAfterS === 0 ? checked : { outcome: 'refused', reason: 'rate', token };
}

/** Why messages that a call names are not in the topics of a token; null if they are. */
async function whyOutside(
  { messageTopics }: ReplyDeps,
  bot: BotWithBackend,
  { threads }: ActiveToken,
  messages: readonly NamedMessage[],
): Promise<string | null> {
  return messages.length === 0 ? null : messageTopics.whyOutside(bot, new Set(threads), messages);
}

/** A user grants neither what costs money nor files of a disk. */
const OF_USERS = { methods: null, chats: null, threads: null };

/** An admin's backend may do everything but name files of a server that it shares with other bots. */
function withinFiles(uploads: string | null, lowerCaseMethod: string, params: Params): Checked {
  if (uploads === null) return { outcome: 'allowed', params, messages: [] };
  const anything = { chats: null, threads: null, named: new Set<string>(), maySpend: true, mayNameFiles: false };
  return withinLimits({ ...anything, uploads }, null, lowerCaseMethod, params);
}

function withinLimits(limits: CallLimits, token: ActiveToken | null, lowerCaseMethod: string, params: Params): Checked {
  const seen = new Map(Object.entries(params).map(([name, value]) => [name, [value]]));
  const checked = checkCall(limits, lowerCaseMethod, seen);
  if (checked.outcome === 'allowed') {
    const { parameters, messages } = checked;
    return { outcome: 'allowed', params: Object.fromEntries(parameters), messages };
  }
  const { about: reason, why, chatId } = checked;
  return { outcome: 'refused', reason, token, why, chatId };
}

/** Remembers an accepted answer to a button press. True of one that was refused because another reader had answered. */
async function isSettled(
  { answeredCallbacks, programRefusals }: ReplyDeps,
  backend: BotWithBackend,
  { callback_query_id: queryId = '' }: Params,
  answer: PlatformAnswer,
): Promise<boolean> {
  const { program } = backend;
  const by = answerer(program, 'backend');
  if (answer.outcome === 'ok') answeredCallbacks.note(backend, queryId, by);
  if (answer.outcome !== 'refused') return false;
  if (!(await answeredCallbacks.isAnsweredByOther(backend, queryId, by, answer.description))) return false;
  const refused = { method: ANSWER_CALLBACK_QUERY, reason: 'answered', description: ANSWERED, chatId: null } as const;
  if (program !== undefined) programRefusals.record({ bot: backend, program, token: null }, refused);
  return true;
}

/** Keeps the refusal for those who look after the program, and returns its words. */
function refuse(
  { programRefusals, log }: ReplyDeps,
  backend: BotWithBackend,
  method: string,
  { reason, token, why, chatId = null }: Refused,
): string {
  const { program } = backend;
  const words = wordsOf(reason, method, why);
  if (program === undefined) return words;
  log.info({ bot: backend.id, program: program.id, method, reason }, 'a call in a reply was left out');
  const description = `${words} (a call in the answer to a delivery)`;
  programRefusals.record({ bot: backend, program, token }, { method, reason, description, chatId });
  return words;
}

/** The words of the proxy. */
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
