import { isUpdateWithin, placesOf } from '@flotilla/domain/delivery/filters/is-update-within.ts';
import { handFile } from '@flotilla/domain/delivery/programs/program-files.ts';
import { readProgramUpdates } from '@flotilla/domain/delivery/programs/read-program-updates.ts';
import { joinTexts, type PulledUpdates, pollAnswer, textsOf } from '@flotilla/domain/delivery/pull/pulled-updates.ts';
import { THROTTLED_MS } from '@flotilla/domain/delivery/pull/read-updates.ts';
import { nameKinds } from '@flotilla/domain/fleet/bots/named-kinds.ts';
import type { ProgramCredential } from '@flotilla/domain/fleet/bots/program-credential.ts';
import { resultOf } from '@flotilla/domain/fleet/bots/validate-token.ts';
import type { Context } from '../../context.ts';
import { type BotApiAnswer, WEBHOOK_IS_ACTIVE } from '../answer.ts';
import { storedKinds } from '../intercept/answer-intercepted.ts';
import { readPollRequest } from '../intercept/get-updates.ts';
import {
  deleteWebhookOfProgram,
  getWebhookInfoOfProgram,
  type ProgramCall,
  setWebhookOfProgram,
} from './program-webhook.ts';
import { hiddenSecret, withoutSecret } from './secret-mask.ts';

type AnswerProgram = (context: Context, call: ProgramCall) => Promise<BotApiAnswer>;

const ANSWERED: ReadonlyMap<string, AnswerProgram> = new Map([
  ['getupdates', getUpdatesOfProgram],
  ['setwebhook', setWebhookOfProgram],
  ['deletewebhook', deleteWebhookOfProgram],
  ['getwebhookinfo', getWebhookInfoOfProgram],
  ['getfile', getFileOfProgram],
]);

/** How a method is answered for a program alone; null for one that goes to the platform. */
export function answeredForProgram(
  lowerCaseMethod: string,
  { chats }: ProgramCredential['token'],
): AnswerProgram | null {
  // The id of a file does not tell its chat, so it is refused like any method that names no chat.
  if (lowerCaseMethod === 'getfile' && chats !== null) return null;
  return ANSWERED.get(lowerCaseMethod) ?? null;
}

async function getUpdatesOfProgram(context: Context, call: ProgramCall): Promise<BotApiAnswer> {
  if (call.program.mode === 'push') return WEBHOOK_IS_ACTIVE;
  const { timeoutMs, ...request } = readPollRequest(call.parameters);
  const rests = call.bot.disabled || !call.program.enabled;
  const kinds = storedKinds(call.parameters) ?? null;
  await nameKinds(context, call.bot, kinds);
  // A poll that cannot be served waits, because its client would ask again at once.
  const waitMs = rests ? Math.max(timeoutMs, THROTTLED_MS) : timeoutMs;
  const updates = await readWithinChats(context, call, {
    ...request,
    timeoutMs: waitMs,
    kinds,
    polledBy: call.polledBy,
  });
  context.apiMetrics.pulled.of('get_updates').inc(updates.count);
  return { ok: true, pieces: pollAnswer(updates) };
}

type Read = { offset: number; limit: number; timeoutMs: number; kinds: string[] | null; polledBy: string };

/** The next updates that the token may see. When there are only others, it passes over them and waits on. */
async function readWithinChats(context: Context, call: ProgramCall, request: Read): Promise<PulledUpdates> {
  const { bot, program, signal } = call;
  const places = placesOf(call.token);
  const untilMs = performance.now() + request.timeoutMs;
  // At the platform too, a client that repeats a poll without a timeout waits for 3 s.
  let throttle = request.timeoutMs === 0;
  for (let { offset } = request; ; throttle = false) {
    const timeoutMs = Math.max(0, untilMs - performance.now());
    const read = { ...request, offset, timeoutMs, throttle, signal };
    const updates = await readProgramUpdates(context, bot, program, read);
    if (places === null || updates.count === 0) return updates;
    const texts = textsOf(updates);
    const shown = texts.filter((raw) => isUpdateWithin(places, raw));
    if (shown.length > 0 || signal.aborted) return joinTexts(shown);
    offset = updateIdOf(texts.at(-1)!) + 1;
  }
}

function updateIdOf(raw: string): number {
  return (JSON.parse(raw) as { update_id: number }).update_id;
}

/** Asks the platform for the path of a file, which the program may then download. Throws FlotillaError. */
async function getFileOfProgram(context: Context, { bot, program, parameters }: ProgramCall): Promise<BotApiAnswer> {
  const answer = await context.platform.call(bot.token, 'getFile', Object.fromEntries(parameters.values));
  const secret = hiddenSecret(bot.token, '');
  if (answer.outcome === 'refused') {
    const { errorCode: code, description, retryAfterS } = answer;
    return {
      ok: false,
      code,
      description: withoutSecret(secret, description),
      ...(retryAfterS === undefined ? {} : { retryAfterS }),
    };
  }
  const file = resultOf(answer);
  const path = (file as { file_path?: unknown } | null)?.file_path;
  // A Bot API server in local mode names a file on its own disk, which it does not serve.
  if (typeof path === 'string' && !path.startsWith('/')) {
    await handFile(context, { botId: bot.id, programId: program.id }, path);
  }
  return { ok: true, result: withoutSecret(secret, JSON.stringify(file)) };
}
